/** A daemon that dies without a word, and what its successor makes of what it promised. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type RunningDaemon, run, type Site, site } from "../../daemon/main/testing/daemon.js";
import type { RunRecord } from "../../daemon/plugin-api/state.js";
import { eventually } from "../support/eventually.js";

/** Each command notes that it has begun, and waits for its file. */
const hook = (name: string, more = "") => `hook "${name}" {
  run = ["sh", "-c", "echo $1 >>${name}.begun; until [ -e $0 ]; do sleep 0.05; done; echo $1 $TOKEN >>${name}.ended", query.until, query.say]
  env = { TOKEN = secret("env:TOKEN"), MIX = "\${secret("env:TOKEN")}-\${query.say}" }
  concurrency = 4
  queue = 100
  timeout = 10m
  ${more}
}
`;
const SERVER = 'hook_server "main" { listen = "127.0.0.1:0" }\n';
const environment = { TOKEN: "correct-horse-battery" };

async function startInFolder(t: ExecutionContext, ...hooks: readonly string[]) {
  const folder = await site(t, SERVER + hooks.join(""));
  const lines = async (name: string): Promise<readonly string[]> =>
    (await readFile(join(folder.directory, name), "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => line !== "");
  return { folder, lines, start: () => run(t, folder, environment) };
}

async function post({ said }: RunningDaemon, query: string, name = "x"): Promise<string> {
  const [{ address } = { address: "" }] = said.listeners as ReadonlyArray<{ address: string }>;
  const answer = await fetch(`http://${address}/hooks/${name}?${query}`, { method: "POST" });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.headers.get("reeve-run") ?? "";
}

async function recorded(daemon: RunningDaemon, name = "x"): Promise<readonly RunRecord[]> {
  const { body } = await daemon.get(`/v1/runs?limit=200&subject=hook.${name}`);
  return (JSON.parse(body) as { runs: RunRecord[] }).runs;
}

async function kill({ child, exited }: RunningDaemon): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

/** Whether it has ended; in a container nobody may bury it. */
async function isGone(pid: string | undefined): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
}

/** Whether the daemon's register of commands on disk has the process: it gets there right after the command has begun. */
async function isRegistered({ directory }: Site, pid: number): Promise<boolean> {
  const register = await readFile(join(directory, "state", "commands"));
  return Array.from({ length: register.length >> 6 }, (_, slot) => slot << 6).some(
    (at) => register.readUInt32LE(at) === pid,
  );
}

const release = ({ directory }: Site) => writeFile(join(directory, "go"), "");
const states = (records: readonly RunRecord[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(records, ({ state }) => state)).map(([state, all]) => [
      state,
      all?.length ?? 0,
    ]),
  );
const names = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);

test("of 54 runs, the 50 that waited run after the restart, the 4 that ran are marked, or attempted again if the hook says so", async (t) => {
  t.timeout(120_000);
  const again = hook("again", 'retry {\n attempts = 2\n on = ["interruption"]\n }');
  const gone = hook("gone", 'concurrency_key = "same"');
  const { folder, lines, start } = await startInFolder(t, hook("x"), again, gone);
  const first = await start();
  const ids: string[] = [];
  for (const say of names(54)) ids.push(await post(first, `until=go&say=${say}`));
  for (const say of names(6)) await post(first, `until=go&say=${say}`, "again");
  for (const say of names(3)) await post(first, `until=go&say=${say}`, "gone");
  for (const name of ["x", "again"])
    await eventually("four to begin", async () => (await lines(`${name}.begun`)).length === 4);
  await eventually("one to begin", async () => (await lines("gone.begun")).length === 1);
  await kill(first);
  const disk = await readFile(join(folder.directory, "state", "reeve.db"), "latin1");
  const log = await readFile(join(folder.directory, "state", "reeve.db-wal"), "latin1");
  t.false(`${disk}${log}`.includes(environment.TOKEN), "no secret lies on the disk");

  await folder.write(`${SERVER}${hook("x")}${again}`);
  await release(folder);
  const second = await start();
  const counts = async (name?: string) => states(await recorded(second, name));
  await eventually("fifty to succeed", async () => (await counts()).succeeded === 50);
  const records = await recorded(second);
  t.deepEqual(states(records), { interrupted: 4, succeeded: 50 });
  t.deepEqual(
    records.map(({ id }) => id),
    ids.toReversed(),
    "under the names that their senders were told",
  );
  const starts = await lines("x.begun");
  t.deepEqual([...starts].toSorted(), names(54).toSorted(), "none has begun twice");
  const ended = (await lines("x.ended")).filter((line) => line.endsWith(` ${environment.TOKEN}`));
  t.true(ended.length >= 50, "with their secrets");

  await eventually("all to succeed", async () => (await counts("again")).succeeded === 6);
  const attempts = await lines("again.begun");
  t.deepEqual([...new Set(attempts)].toSorted(), names(6));
  t.is(attempts.length, 10, "the four were begun twice");

  const isClosed = ({ finishedAt }: RunRecord) => finishedAt !== undefined && finishedAt !== null;
  await eventually("all to be closed", async () =>
    (await recorded(second, "gone")).every(isClosed),
  );
  t.deepEqual(
    (await recorded(second, "gone")).map(({ state, reason }) => [state, reason]),
    [
      ["cancelled", "Its hook was removed from the configuration."],
      ["cancelled", "Its hook was removed from the configuration."],
      ["interrupted", "The daemon stopped while it was running."],
    ],
  );
});

test("what a killed daemon was running is ended before anything runs, a stubborn command, too", async (t) => {
  t.timeout(120_000);
  const folder = await site(
    t,
    `daemon { drain_timeout = 1s }
hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["sh", "-c", "trap '' TERM; echo $$ >>begun; while :; do sleep 0.1; done"]
  timeout = 10m
  retry { on = ["interruption"] }
}
`,
  );
  const startedRuns = async () =>
    (await readFile(join(folder.directory, "begun"), "utf8").catch(() => "")).trim().split("\n");
  const isStubborn = async (pid: string): Promise<boolean> =>
    /^sh\0-c\0trap /.test(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  t.teardown(async () => {
    for (const pid of await startedRuns())
      if (await isStubborn(pid)) process.kill(Number(pid), "SIGKILL");
  });
  const first = await run(t, folder);
  await post(first, "");
  await eventually("it has begun", async () => (await startedRuns())[0] !== "");
  const [pid] = await startedRuns();
  await eventually("the daemon has registered it", async () => isRegistered(folder, Number(pid)));
  await kill(first);
  t.true(process.kill(Number(pid), 0), "it goes on without its daemon");
  const second = await run(t, folder);
  await eventually("it has begun again", async () => (await startedRuns()).length === 2);
  t.true(await isGone(pid));
  const [, again] = await startedRuns();
  second.child.kill("SIGTERM");
  await second.exited;
  t.true(await isGone(again));
});

test("an orderly stop leaves waiting runs to the next start, too", async (t) => {
  t.timeout(120_000);
  const { folder, lines, start } = await startInFolder(t, hook("x"));
  const first = await start();
  for (const say of names(8)) await post(first, `until=go&say=${say}`);
  await eventually("four have begun", async () => (await lines("x.begun")).length === 4);
  first.child.kill("SIGTERM");
  await release(folder);
  t.is(await first.exited, 0);
  const second = await start();
  await eventually(
    "all have succeeded",
    async () => states(await recorded(second)).succeeded === 8,
  );
  t.deepEqual([...(await lines("x.begun"))].toSorted(), names(8));
});
