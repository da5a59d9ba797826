/** What is denied and allowed, and what is wrong in settings: with real files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../testing/reeve.js";
import { generationDetail, status } from "../testing/samples.js";
import { opened } from "./testing/opened.js";

const deniedPanels = (rule: string, host = "registry.example.org:443") => ({
  plugins: [
    {
      plugin: "firewall",
      panels: [
        {
          kind: "table" as const,
          id: "denied",
          title: "Denied last",
          columns: [
            { id: "sandbox", title: "Sandbox" },
            { id: "host", title: "Host" },
          ],
          rows: [{ at: 1, sandbox: "build", host, rule, reason: "it is blocked", pid: 7 }],
        },
      ],
    },
  ],
});

test("what was denied is allowed after the difference has been seen, and not without a yes", async (t) => {
  const directory = folder(t, { "main.reeve": 'sandbox "build" {}\n' });
  const root = join(directory, "main.reeve");
  const { press, until, received } = await opened(t, {
    "GET /v1/status": () => ({ ...status, root }),
    "GET /v1/panels": () => deniedPanels("deny-default"),
    "POST /v1/reload": () => ({ generation: generationDetail, diagnostics: [], sources: {} }),
  });
  await press("4", "t");
  await until(/\[Denied\] Runs {2}Questions .*1 of 1[\s\S]*build +registry\.example\.org/);
  await press("a");
  await until(
    /Add registry\.example\.org to allow of sandbox build\?[\s\S]*\+ +allow = \["registry/,
  );
  await until(/Write .*main\.reeve and reload\? y: yes, Esc: no/);
  await press("Esc");
  await until(/Nothing was done/);
  t.is(readFileSync(root, "utf8"), 'sandbox "build" {}\n');
  t.false(received("POST /v1/reload"));
  await press("a");
  await until(/y: yes/);
  await press("y");
  await until(/Generation \d+ runs/);
  t.is(readFileSync(root, "utf8"), 'sandbox "build" {\n  allow = ["registry.example.org"]\n}\n');
  t.true(received("POST /v1/reload"));
});

test("what a further entry would not allow is not proposed", async (t) => {
  const { press, until } = await opened(t, {
    "GET /v1/panels": () => deniedPanels("deny-blocked-domain"),
  });
  await press("4", "t", "a");
  await until(/`allow` would not help: deny-blocked-domain/);
});

test("a question of a sandbox is an alert; it is answered on its screen, and allowing is asked about", async (t) => {
  const answered: unknown[] = [];
  const id = "1f0c22ab";
  const { press, until } = await opened(t, {
    "GET /v1/panels": () => ({
      plugins: [
        {
          plugin: "firewall",
          panels: [
            {
              kind: "table",
              id: "questions",
              title: "Questions",
              columns: [
                { id: "sandbox", title: "Sandbox" },
                { id: "domain", title: "Domain" },
              ],
              rows: [
                { id, since: 1, sandbox: "build", domain: "api.example.org", program: "curl" },
              ],
            },
          ],
        },
      ],
    }),
    "POST /v1/firewall/questions/:id": ({ body }) => {
      answered.push(body);
      return {};
    },
  });
  await until(/▲ 1 question of sandboxed commands: answer on screen 4/);
  await press("4", "o");
  await until(/Choose a question first/);
  await press("t", "t", "t");
  await until(/\[Questions\] .*1 of 1[\s\S]*build +api\.example\.org/);
  await press("i");
  await until(/Allow api\.example\.org until the command ends\? y: yes/);
  await press("n");
  await until(/Nothing was done/);
  t.deepEqual(answered, []);
  await press("i", "y");
  await until(/Question 1f0c22ab is answered: run\./);
  await press("d");
  await until(/Question 1f0c22ab is answered: deny\./);
  t.deepEqual(answered, [{ answer: "run" }, { answer: "deny" }]);
});

test("with --read-only nothing can be allowed", async (t) => {
  const answers = { "GET /v1/panels": () => deniedPanels("deny-default") };
  const { press, until, dashboard } = await opened(t, answers, true);
  await press("4", "t", "a");
  await until(/\[Denied\] Runs {2}Questions .*1 of 1/);
  t.notRegex(dashboard.frame({ width: 100, height: 30 }).join("\n"), /asking|Add registry/);
});

test("a settings file with a finding is shown with its line, its servers and the last change", async (t) => {
  const directory = folder(t, { "zls.json": '{\n  "warn_stile": true\n}\n' });
  const path = join(directory, "zls.json");
  const finding = { severity: "warning", code: "unknown", message: "There is no `warn_stile`." };
  const snapshot = {
    ...{
      name: "zls",
      title: "Zig",
      section: "zls",
      version: 3,
      changedAt: status.now,
      suppressed: 2,
    },
    files: [
      { path, origin: "file", state: "last_good", findings: [{ ...finding, line: 2, column: 3 }] },
    ],
    settings: [],
    servers: [{ pid: 4712, server: "zls", version: 2, at: status.now }],
  };
  const changed = [{ key: "warn_style", old: true, new: false, origin: "file", live: "live" }];
  const { press, until } = await opened(t, {
    "GET /v1/settings": () => ({ settings: [snapshot] }),
    "GET /v1/settings/:id/versions": () => ({
      versions: [{ version: 3, at: status.now, changed }],
    }),
  });
  await press("5", "t");
  await until(/\[Files\] .*1 of 1[\s\S]*zls +last good +1/);
  await press("Enter");
  await until(
    /warning\[settings\.unknown\]: There is no[\s\S]*2 \| +"warn_stile": true[ ┃]*\n[┃ ]{2,}\| +\^/,
  );
  await until(/zls \(pid 4712\): revision 2/);
  await until(/revision 3[\s\S]*warn_style: true -> false \(file\)/);
});
