/** Keys, as a terminal sends them, and what is seen then. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { render } from "ink-testing-library";
import type { AskedFor } from "../../plugins/hooks/offline.js";
import { connect } from "../control/client.js";
import { type Answers, daemonDouble } from "../testing/daemon-double.js";
import { folder } from "../testing/reeve.js";
import {
  generation,
  generationDetail,
  plugin,
  run,
  runSummary,
  snapshot,
  status,
} from "../testing/samples.js";
import { App } from "./app.js";
import { Dashboard } from "./dashboard.js";
import { model } from "./testing/model.js";
import { plainTheme } from "./view/theme.js";

const KEYS = {
  Enter: "\r",
  Esc: "\u001b",
  "↓": "\u001b[B",
  Tab: "\t",
  Backspace: "\u007f",
} as const;

/** The dashboard before a daemon that gives these answers. */
async function opened(t: ExecutionContext, answers: Answers = {}, readOnly = false) {
  t.timeout(60_000);
  const daemon = await daemonDouble({
    "GET /v1/status": () => status,
    "GET /v1/runs": () => ({ runs: [runSummary] }),
    "GET /v1/runs/:id": () => run,
    "GET /v1/panels": () => ({ plugins: model.panels }),
    "GET /v1/generations": () => ({ generations: [generation, { ...generation, number: 11 }] }),
    "GET /v1/generations/:id": () => generationDetail,
    "POST /v1/plugins/:id/restart": () => plugin,
    "GET /v1/events": async function* () {
      yield snapshot;
      await new Promise(() => undefined);
    },
    ...answers,
  });
  const control = connect({ control: daemon.socket });
  const options = {
    control,
    theme: plainTheme,
    interval: 50,
    screen: "overview",
    readOnly,
  } as const;
  const dashboard = new Dashboard(options);
  await dashboard.open();
  const app = render(<App dashboard={dashboard} />);
  const over = dashboard.run();
  t.teardown(async () => {
    dashboard.quit();
    app.unmount();
    await over.finally(() => daemon.close());
  });
  const asked = (request: string) => daemon.asked.some((each) => each.request === request);
  return {
    dashboard,
    asked,
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        app.stdin.write(KEYS[key as keyof typeof KEYS] ?? key);
        // An escape is one only when nothing follows it at once.
        await new Promise((resolve) => setTimeout(resolve, key === "Esc" ? 100 : 5));
      }
    },
    async until(wanted: RegExp) {
      const end = performance.now() + 20_000;
      while (!wanted.test(app.lastFrame() ?? "")) {
        if (performance.now() > end)
          throw new Error(`${wanted} does not come:\n${app.lastFrame()}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      t.pass();
    },
  };
}

test("a number opens a screen, Enter what is chosen, Esc leads back", async (t) => {
  const { press, until } = await opened(t);
  await until(/\[1 Overview\][\s\S]*hooks +● running/);
  await press("2", "t", "Enter");
  await until(/hook\.deploy +✗ failed[\s\S]*no such branch/);
  await press("Esc");
  await until(/▌ failed +hook\.deploy/);
  await press("7", "Enter");
  await until(/Generation 12[\s\S]*timeout: 1m -> 2m/);
});

test("what is written after / stays of the list, also in one go", async (t) => {
  const { press, until } = await opened(t);
  await press("7", "/", "11", "Enter");
  await until(/1 of 2 with "11"/);
  await press("Esc");
  await until(/Generations +2/);
});

test("a plugin is started afresh only when somebody agrees, and the answer is shown", async (t) => {
  const { press, until, asked } = await opened(t);
  await press("6", "R");
  await until(/Start hooks afresh\?.* y: yes/);
  await press("n");
  await until(/Nothing was done/);
  t.false(asked("POST /v1/plugins/hooks/restart"));
  await press("R", "y");
  await until(/hooks is running/);
  t.true(asked("POST /v1/plugins/hooks/restart"));
});

test("what the daemon refuses is shown with its reason and its help", async (t) => {
  const detail = "The plugin is not there.";
  const problem = {
    type: "urn:reeve:x",
    title: "No",
    status: 404,
    code: "not_found",
    detail,
    help: "Look at the list.",
  };
  const { press, until } = await opened(t, { "POST /v1/plugins/:id/restart": () => problem });
  await press("6", "R", "y");
  await until(/The plugin is not there.*Look at the list\./);
});

test("read-only has no keys that change anything", async (t) => {
  const { press, until, asked } = await opened(t, {}, true);
  await press("6", "R", "y", "?");
  await until(/read-only[\s\S]*Keys/);
  t.false(asked("POST /v1/plugins/hooks/restart"));
});

test("while it is held, nothing moves on; then everything does", async (t) => {
  let pid = 1;
  const { press, until } = await opened(t, { "GET /v1/status": () => ({ ...status, pid }) });
  await until(/pid 1\n/);
  await press(" ");
  await until(/PAUSED/);
  pid = 2;
  await press("8");
  await until(/PAUSED.*pid 1\n/);
  await press(" ");
  await until(/pid 2\n/);
});

test("q ends it", async (t) => {
  const { press, dashboard } = await opened(t);
  await press("q");
  t.true(dashboard.over.aborted);
});

const asked: AskedFor = {
  hook: "deploy",
  request: {
    method: "POST",
    query: "",
    headers: ["x-hub-signature-256", "(secret)"],
    remoteIp: "192.0.2.7",
    body: { bytes: 26, text: '{"ref":"refs/heads/main"}\n' },
  },
  decision: [
    { what: "sender", holds: true, says: '`verify "github"` holds' },
    {
      what: "when",
      holds: true,
      says: "it is true",
      tree: {
        text: 'payload.ref == "refs/heads/main"',
        outcome: "true",
        parts: [{ text: "payload.ref", outcome: '"refs/heads/main"', parts: [] }],
      },
    },
  ],
  command: { env: { TOKEN: "(secret)" }, stdin: 0 },
  timings: { received: 1, read: 0.2, decided: 0.4 },
};

test("a run shows what led to it, and its request is sent once more after a question", async (t) => {
  const {
    press,
    until,
    asked: wasAsked,
  } = await opened(t, {
    "GET /v1/runs/:id": () => ({ ...run, request: asked }),
    "POST /v1/hooks/replay": () => ({ outcome: "accepted", hook: "deploy", run: "r-0009" }),
  });
  await press("2");
  await press("t");
  await press("Enter");
  await until(/x-hub-signature-256: \(secret\)/);
  await press("G");
  await until(/payload\.ref == "refs\/heads\/main" {2}is true/);
  await press("r");
  await until(/Send the request of hook\.deploy's run r-0001 once more\?/);
  t.false(wasAsked("POST /v1/hooks/replay"));
  await press("y");
  await until(/The run r-0009 has begun\./);
  t.true(wasAsked("POST /v1/hooks/replay"));
});

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
  const { press, until, asked } = await opened(t, {
    "GET /v1/status": () => ({ ...status, root }),
    "GET /v1/panels": () => deniedPanels("deny-default"),
    "POST /v1/reload": () => ({ generation: generationDetail, diagnostics: [], sources: {} }),
  });
  await press("4", "t", "t");
  await until(/Denied +1[\s\S]*build +registry\.example\.org/);
  await press("a");
  await until(/Allow registry\.example\.org in sandbox build\?[\s\S]*\+ +allow = \["registry/);
  await until(/Write .*main\.reeve, and take it over\? y: yes, Esc: no/);
  await press("Esc");
  await until(/Nothing was done/);
  t.is(readFileSync(root, "utf8"), 'sandbox "build" {}\n');
  t.false(asked("POST /v1/reload"));
  await press("a");
  await until(/y: yes/);
  await press("y");
  await until(/Generation \d+ runs/);
  t.is(readFileSync(root, "utf8"), 'sandbox "build" {\n  allow = ["registry.example.org"]\n}\n');
  t.true(asked("POST /v1/reload"));
});

test("what a further entry would not allow is not proposed", async (t) => {
  const { press, until } = await opened(t, {
    "GET /v1/panels": () => deniedPanels("deny-blocked-domain"),
  });
  await press("4", "t", "t", "a");
  await until(/`allow` would not help: deny-blocked-domain/);
});

test("with --read-only nothing can be allowed", async (t) => {
  const answers = { "GET /v1/panels": () => deniedPanels("deny-default") };
  const { press, until, dashboard } = await opened(t, answers, true);
  await press("4", "t", "t", "a");
  await until(/Denied +1/);
  t.notRegex(dashboard.frame({ width: 100, height: 30 }).join("\n"), /asking|Allow/);
});
