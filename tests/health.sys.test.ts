/** Health is what it says: faults of the machine are visible while they last, and pass by themselves. */
import { once } from "node:events";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { folder, reeve } from "../cli/testing/reeve.js";
import { type Running, running } from "../cli/testing/running.js";
import type { Status } from "../daemon/http/control/api.js";
import { output, runSync } from "./support/child.js";
import { eventually } from "./support/eventually.js";
import { needs, rootUser } from "./support/needs.js";

const configuration =
  'hook_server "main" {\n  listen = "127.0.0.1:0"\n}\nhook "deploy" {\n  run = ["./deploy.sh"]\n}\n';

const started = (t: ExecutionContext, cwd: string, text = configuration): Promise<Running> => {
  writeFileSync(join(cwd, "main.reeve"), text);
  writeFileSync(join(cwd, "deploy.sh"), "#!/bin/sh\n");
  chmodSync(join(cwd, "deploy.sh"), 0o755);
  return running(t, cwd);
};

const raised = (daemon: Running, code: string, change = "raised") =>
  daemon.event(({ type, data }) => type === `condition.${change}` && data.code === code);

const codesOf = async (daemon: Running): Promise<readonly string[]> => {
  const { conditions }: Status = await daemon.control.status();
  return conditions.map(({ code }) => code);
};

/** Goes through a fault that makes the daemon unready, from its start to its end. */
async function unready(t: ExecutionContext, daemon: Running, code: string, end: () => void) {
  await raised(daemon, code);
  const status = await daemon.control.status();
  t.is(status.state, "degraded");
  t.true((status.conditions[0]?.since ?? 0) > 0);
  const shown = await daemon.reeve("status");
  t.is(shown.code, 1);
  t.regex(shown.stdout, /\n! .+ \(for .+\)\n/);
  t.false((await daemon.control.readiness()).ready);
  end();
  await raised(daemon, code, "cleared");
  t.true((await daemon.control.readiness()).ready);
  t.deepEqual(await codesOf(daemon), []);
}

test("a deleted program is a condition until it is back", async (t) => {
  const cwd = folder(t);
  const daemon = await started(t, cwd);
  t.deepEqual(await codesOf(daemon), []);
  renameSync(join(cwd, "deploy.sh"), join(cwd, "away.sh"));
  await raised(daemon, "hooks.no_program");
  t.deepEqual(await codesOf(daemon), ["hooks.no_program"]);
  t.regex(
    (await daemon.reeve("hook", "show", "deploy")).stdout,
    /! There is no `.\/deploy.sh` \(for/,
  );
  t.regex((await daemon.reeve("doctor", ".")).stdout, /hook\.deploy: There is no/);
  const checked = await daemon.reeve("check", cwd);
  t.is(checked.code, 0);
  t.regex(checked.stdout, /warning\[hooks\.no_program\]/);
  const planned = await daemon.reeve("plan", cwd);
  t.is(planned.code, 0);
  const line = /--> .*/.exec(checked.stdout)?.[0] ?? "none";
  t.true(planned.stderr.includes(line), planned.stderr);
  renameSync(join(cwd, "away.sh"), join(cwd, "deploy.sh"));
  await raised(daemon, "hooks.no_program", "cleared");
  t.is((await daemon.reeve("check", cwd)).code, 0);
});

test("a file that breaks while it is served stays as it was, and does not stop other edits", async (t) => {
  const hooks = (text: string) =>
    JSON.stringify([
      {
        ...{ id: "a", "execute-command": "/bin/echo", "include-command-output-in-response": true },
        "pass-arguments-to-command": [{ source: "string", name: text }],
      },
    ]);
  const cwd = folder(t, { "hooks.json": hooks("first") });
  const file = 'hooks_file "legacy" {\n  path = "./hooks.json"\n}\n';
  const daemon = await started(t, cwd, file + configuration);
  const [address = ""] = (await daemon.control.status()).listeners.map((each) => each.address);
  const served = async () => (await fetch(`http://${address}/hooks/a`)).text();
  t.is(await served(), "first\n");
  writeFileSync(join(cwd, "hooks.json"), "[\n  {");
  await raised(daemon, "hooks.bad_hooks_file");
  t.is((await daemon.reeve("check", cwd)).code, 78);
  const more = 'hook "more" {\n  run = ["true"]\n}\n';
  writeFileSync(join(cwd, "main.reeve"), file + configuration + more);
  await daemon.event(({ type, data }) => type === "config.reloaded" && data.generation === 2);
  t.is(await served(), "first\n");
  t.is((await fetch(`http://${address}/hooks/more`, { method: "POST" })).status, 202);
  const [condition] = (await daemon.control.status()).conditions;
  t.is(condition?.subject, "hooks_file.legacy");
  t.regex(condition?.reason ?? "", /hooks\.json:2:\d+/);
  writeFileSync(join(cwd, "hooks.json"), hooks("second"));
  await raised(daemon, "hooks.bad_hooks_file", "cleared");
  // The plugin follows its file by itself: the finding may go a moment before.
  await eventually("the file's new text", async () => (await served()) === "second\n");
  writeFileSync(join(cwd, "other.json"), "[");
  writeFileSync(join(cwd, "main.reeve"), file.replace("hooks.json", "other.json") + configuration);
  await daemon.event(({ type }) => type === "config.rejected");
});

test("a deleted control socket is made again", async (t) => {
  const cwd = folder(t);
  const daemon = await started(t, cwd);
  const restored = daemon.event(({ type }) => type === "control.restored");
  rmSync(daemon.socket);
  await restored;
  t.is((await daemon.reeve("status")).code, 0);
  t.is(await daemon.end(), 0);
});

test("a state directory that is away is reported until it is back", async (t) => {
  const cwd = folder(t);
  const daemon = await started(t, cwd);
  renameSync(join(cwd, "state"), join(cwd, "moved"));
  await unready(t, daemon, "state_missing", () =>
    renameSync(join(cwd, "moved"), join(cwd, "state")),
  );
});

const asRoot = needs(test, rootUser);
asRoot("a full disk is reported until there is space", async (t) => {
  const cwd = folder(t);
  const state = join(cwd, "state");
  mkdirSync(state);
  t.teardown(() => runSync("umount", ["-l", state]));
  output("mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "reeve-test", state]);
  const daemon = await started(t, cwd);
  const ballast = join(state, "ballast");
  runSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096"]);
  await unready(t, daemon, "state_full", () => rmSync(ballast));
});

test("what the machine lacks at the start ends it with 75, and a mistake with 78", async (t) => {
  const secret =
    'verify "hmac" {\n    header = "X"\n    secret = secret("env:REEVE_TEST_UNSET")\n  }';
  const lacking = `hook "a" {\n  run = ["true"]\n  ${secret}\n}\n`;
  const server = (listen: string) => `hook_server "main" {\n  listen = "${listen}"\n}\n`;
  const started = (text: string) => {
    const cwd = folder(t, { "main.reeve": text });
    const own = ["--control", join(cwd, "c.sock"), "--state", join(cwd, "state")];
    return Promise.all([reeve(["up", ...own], { cwd }), reeve(["check"], { cwd })]);
  };
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  t.teardown(() => holder.close());
  const { port } = holder.address() as AddressInfo;
  for (const [text, code] of [
    [server(`127.0.0.1:${port}`), "E513"],
    [server("127.0.0.1:0") + lacking, "E509"],
    [server("192.0.2.1:9000"), "E513"],
  ] as const) {
    const [up, check] = await started(text);
    t.is(up.code, 75, up.stderr);
    t.true(up.stderr.includes(`error[${code}]`));
    t.is(check.code, 0);
    t.true(check.stdout.includes(`warning[${code}]`));
  }
  const [up, check] = await started(server("localhost:99999"));
  t.is(up.code, 78);
  t.is(check.code, 78);
  const cwd = folder(t, { "main.reeve": server("192.0.2.1:9000") });
  t.is((await reeve(["check", "--host"], { cwd })).code, 75);
});
