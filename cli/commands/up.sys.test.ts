/** A real daemon, through the real program, from its start to its end. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import type { GenerationList, RunList, RunRecord, Status } from "../../daemon/http/control/api.js";
import { folder, reeve } from "../testing/reeve.js";
import { type Running, running } from "../testing/running.js";

const hook = (command: string) => `
hook_server "default" {
  listen = "127.0.0.1:0"
}
hook "greet" {
  run = ["sh", "-c", ${JSON.stringify(command)}]
}
`;
const faulty = hook("echo").replace("run =", "rnu =");

const reloaded = (daemon: Running, generation: number) =>
  daemon.event(({ type, data }) => type === "config.reloaded" && data.generation === generation);

const statusOf = async (daemon: Running): Promise<Status> =>
  JSON.parse((await daemon.reeve("status", "--json")).stdout) as Status;

test("it says where it is and what to try, and ends quietly", async (t) => {
  const cwd = folder(t, { "main.reeve": hook("echo hello") });
  const daemon = await running(t, cwd);
  t.regex(daemon.stdout, /^reeve \d\S+ runs main\.reeve: generation 1, 2 blocks \(\S+\)\.\n/);
  t.regex(daemon.stdout, /\n {2}listening {2}http:\/\/127\.0\.0\.1:\d+\/hooks\n/);
  t.true(daemon.stdout.includes(`\n  control    ${daemon.socket}\n`));
  t.true(daemon.stdout.includes(`\n  reeve status --control ${daemon.socket}\n`));
  t.is(await daemon.end(), 0);
  t.false(existsSync(daemon.socket));
});

test("for machines there is the log, and nothing else", async (t) => {
  const cwd = folder(t, { "main.reeve": "" });
  const daemon = await running(t, cwd, ["--log-format", "json", "--log-level", "debug"]);
  t.is(await daemon.end("SIGINT"), 0);
  t.is(daemon.stdout, "");
  const lines = daemon.stderr.trim().split("\n");
  t.true(lines.length > 1);
  for (const line of lines) t.notThrows(() => JSON.parse(line), line);
});

test("a request becomes a run that can be looked at, also after a restart", async (t) => {
  const cwd = folder(t, { "main.reeve": hook("echo hello; exit 3") });
  const daemon = await running(t, cwd);
  const [listener] = (await statusOf(daemon)).listeners;
  await fetch(`http://${listener?.address}/hooks/greet`, { method: "POST" });
  await daemon.event(({ type }) => type === "run.finished");
  const list = await daemon.reeve("runs", "--hook", "greet", "--json");
  const [run] = (JSON.parse(list.stdout) as RunList).runs;
  t.like(run, { subject: "hook.greet", state: "failed", exitCode: 3 });
  const shown = await daemon.reeve("runs", run?.id ?? "");
  t.regex(shown.stdout, /^hook\.greet {2}failed /);
  t.regex(shown.stdout, /--- output \(6 B\)\nhello\n$/);
  t.is(await daemon.end(), 0);
  const again = await running(t, cwd);
  const kept = await again.reeve("runs", run?.id ?? "", "--json");
  t.is((JSON.parse(kept.stdout) as RunRecord).output.text, "hello\n");
});

test("an edit is taken over as it is saved; a faulty one is shown with carets and changes nothing", async (t) => {
  const cwd = folder(t, { "main.reeve": hook("echo one") });
  const root = join(cwd, "main.reeve");
  const daemon = await running(t, cwd);
  writeFileSync(root, hook("echo two"));
  await reloaded(daemon, 2);
  t.is((await statusOf(daemon)).generation?.number, 2);
  const unchanged = await daemon.reeve("reload");
  t.deepEqual(unchanged, {
    code: 0,
    stdout: "Nothing changed: what is on disk runs already.\n",
    stderr: "",
  });

  writeFileSync(root, faulty);
  const refused = await daemon.reeve("reload");
  t.is(refused.code, 78);
  t.is(refused.stdout, "");
  t.regex(refused.stderr, /error\[E101\]: unknown attribute `rnu` .*\n --> main\.reeve:6:3\n/);
  t.regex(refused.stderr, /\n1 error, 0 warnings\. Generation 2 runs on\.\n$/);
  const degraded = await daemon.reeve("status");
  t.is(degraded.code, 1);
  t.regex(degraded.stdout, /\ndegraded: /);

  writeFileSync(root, hook("echo three"));
  const good = await daemon.reeve("reload", "--wait");
  t.is(good.code, 0, good.stderr);
  t.is((await statusOf(daemon)).state, "running");
  const plan = await daemon.reeve("plan");
  t.is(plan.stdout, "Nothing changes: 2 blocks, as before.\n");
  const { generations } = JSON.parse(
    (await daemon.reeve("history", "--json")).stdout,
  ) as GenerationList;
  t.deepEqual([generations.at(-1)?.number, generations.at(-2)?.number], [1, 2]);
  t.true(generations.some(({ state }) => state === "rejected"));

  const back = await daemon.reeve("rollback", "2");
  t.is(back.code, 0, back.stderr);
  t.regex(back.stdout, /echo three.* -> .*echo two/);
});

test("a second daemon is refused and names the first", async (t) => {
  const cwd = folder(t, { "main.reeve": "" });
  const daemon = await running(t, cwd);
  const { code, stdout, stderr } = await daemon.reeve("up");
  t.deepEqual({ code, stdout }, { code: 69, stdout: "" });
  t.regex(stderr, new RegExp(`^reeve: .*\\b${daemon.child.pid}\\b`));
});

test("a daemon that was killed starts again as if nothing had happened", async (t) => {
  const cwd = folder(t, { "main.reeve": hook("echo one") });
  const first = await running(t, cwd);
  t.is(await first.end("SIGKILL"), "SIGKILL");
  t.true(existsSync(first.socket));
  const gone = await first.reeve("status");
  t.is(gone.code, 69);
  t.regex(gone.stderr, /the daemon is not running; looked for it at .*c\.sock \(nothing listens\)/);
  const second = await running(t, cwd);
  const status = await statusOf(second);
  t.is(status.state, "running");
  t.is(status.pid, second.child.pid ?? 0);
});

test("an invalid configuration is shown with carets, and nothing runs", async (t) => {
  const cwd = folder(t, { "main.reeve": faulty });
  const words = ["up", "--control", join(cwd, "c.sock"), "--state", join(cwd, "state")];
  const { code, stdout, stderr } = await reeve([...words, "--log-level", "error"], { cwd });
  t.deepEqual({ code, stdout }, { code: 78, stdout: "" });
  t.regex(stderr, /error\[E101\]: unknown attribute `rnu`/);
  t.regex(stderr, /\^\^\^ did you mean `run`\?/);
  t.regex(stderr, /\n1 error, 0 warnings\. Nothing runs\.\n$/);
  t.false(existsSync(join(cwd, "c.sock")));
});

test("a configuration that does not exist is named, with the way to a first one", async (t) => {
  const cwd = folder(t);
  const words = ["up", "--control", join(cwd, "c.sock"), "--state", join(cwd, "state")];
  const { code, stderr } = await reeve(words, { cwd });
  t.is(code, 78);
  t.regex(stderr, /reeve: there is no `main\.reeve`\nWrite a first one with `reeve init \.`, /);
});

test("what ran last is run where the configuration is invalid now, and that is said", async (t) => {
  const cwd = folder(t, {
    "main.reeve": `daemon {\n  probation = 100ms\n}\n${hook("echo one")}`,
  });
  const first = await running(t, cwd);
  await first.event(({ type }) => type === "config.confirmed");
  t.is(await first.end(), 0);
  writeFileSync(join(cwd, "main.reeve"), faulty);
  const second = await running(t, cwd);
  t.regex(second.stderr, /error\[E101\]: unknown attribute `rnu`/);
  t.regex(
    second.stderr,
    /Generation \d+, the last good one, runs instead: the daemon is degraded\.\n/,
  );
  t.is((await second.reeve("status")).code, 1);
  rmSync(join(cwd, "main.reeve"));
  t.is((await second.reeve("reload")).code, 78);
  t.is((await second.reeve("status")).code, 1);
});
