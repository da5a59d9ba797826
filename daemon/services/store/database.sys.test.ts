import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { child, runSync } from "../../../tests/support/child.js";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";

const program = fileURLToPath(new URL("../testing/child.js", import.meta.url));

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return ""; // The one that listed the directory.
  }
}

/** Runs the child until `enough` of its lines are there, and kills it without a word. Returns all it said. */
async function killed(
  t: ExecutionContext,
  directory: string,
  what: string,
  enough: (lines: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const running = child(t, process.execPath, [program, directory, what]);
  const lines: string[] = [];
  for await (const line of createInterface(running.process.stdout as Readable)) {
    lines.push(line);
    if (enough(lines)) running.kill("SIGKILL");
  }
  return lines;
}

test("a daemon killed in the middle has kept everything it said it had", async (t) => {
  const directory = temporaryDirectory(t);
  const lines = await killed(t, directory, "runs", ({ length }) => length > 500);
  const kit = await kitFor(t, {}, directory);
  for (const line of lines) {
    const [what, id = ""] = line.split(" ");
    const record = await kit.runs.get(id);
    t.truthy(record, line);
    if (what === "finished") t.is(record?.state, "succeeded");
  }
  const left = await kit.runs.list({ limit: 1000 });
  t.true(left.some(({ state }) => state === "interrupted"));
  t.false(left.some(({ state }) => state === "running"));
  t.true(left.every(({ finishedAt }) => finishedAt !== undefined));
});

test("jobs of a killed daemon are taken over where they were", async (t) => {
  const directory = temporaryDirectory(t);
  const said = await killed(t, directory, "jobs", (lines) =>
    ["added", "works first 1"].every((line) => lines.includes(line)),
  );
  t.true(said.includes("works first 1"));
  const { context } = await contextOf(await kitFor(t, {}, directory));
  const seen: unknown[] = [];
  await new Promise<void>((resolve) => {
    void context.jobs.queue<string>("q", {}, async ({ payload, attempt, progress }) => {
      seen.push([payload, attempt, progress]);
      if (seen.length === 2) resolve();
    });
  });
  t.deepEqual(seen, [
    ["first", 1, { step: 3 }],
    ["second", 1, undefined],
  ]);
});

test("two daemons cannot share a directory", async (t) => {
  const directory = temporaryDirectory(t);
  await kitFor(t, {}, directory);
  await t.throwsAsync(kitFor(t, {}, directory), {
    code: "store_in_use",
    message: /^The database \/.*\/reeve\.db is in use by another process\.$/,
  });
});

test("what is written at once is one transaction, and a failure in it is nobody else's", async (t) => {
  const kit = await kitFor(t);
  const records = kit.records("a");
  const outcomes = await Promise.allSettled([
    records.set("1", 1),
    records.set("2", () => 1),
    records.set("3", 3),
  ]);
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  t.deepEqual(await records.list(), [
    { key: "1", value: 1 },
    { key: "3", value: 3 },
  ]);
});

test("files and directories are for the daemon's user only", async (t) => {
  const directory = temporaryDirectory(t);
  const state = join(directory, "state");
  mkdirSync(state, { mode: 0o755 });
  mkdirSync(join(directory, "temporary"));
  writeFileSync(join(directory, "temporary", "old"), "");
  const { context } = await contextOf(await kitFor(t, {}, directory));
  await context.store.database({});
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  t.is(mode(state), "700");
  t.is(mode(join(state, "reeve.db")), "600");
  t.is(mode(join(context.directories.state, "tables.sqlite")), "600");
  for (const own of ["state", "cache", "temporary"] as const) {
    t.is(mode(context.directories[own]), "700");
  }
  t.false(existsSync(join(directory, "temporary", "old")));
});

/** Cut, overwritten in the middle, or never a database. */
test("a full disk is told in a sentence, and everything goes on when there is room again", async (t) => {
  const directory = temporaryDirectory(t);
  // Root gets a small disk that can grow; others a limit on how long files may become.
  const root = process.getuid?.() === 0;
  const mount = (...options: string[]): number | null =>
    runSync("/bin/mount", ["-t", "tmpfs", "-o", options.join(","), "reeve-test", directory]).code;
  if (root) {
    t.teardown(() => runSync("/bin/umount", ["-l", directory]));
    t.is(mount("size=2m"), 0);
  }
  const limit = root ? "" : "ulimit -f 2048; ";
  const { stdin, stdout } = child(
    t,
    "/bin/sh",
    ["-c", `${limit}exec "$@"`, "sh", process.execPath, program, directory, "fill"],
    { stdio: ["pipe", "pipe", "pipe"] },
  ).process;
  const lines: string[] = [];
  for await (const line of createInterface(stdout as Readable)) {
    lines.push(line);
    if (line !== "full") continue;
    if (root) t.is(mount("remount", "size=8m"), 0);
    stdin?.end("room\n");
  }
  t.true(lines.filter((line) => line.startsWith("kept")).length > 5);
  const refusal = lines.find((line) => line.startsWith("refused")) ?? "";
  t.regex(
    refusal,
    root
      ? /^refused disk_full: The disk that holds \/.*\/reeve\.db is full; what was to be written now is not kept\.$/
      : /^refused (disk_full|store_unwritable): The disk .*\.$/,
  );
  t.is(lines.at(-1)?.startsWith("kept after"), root);
  const kit = await kitFor(t, {}, directory);
  const { store } = (await contextOf(kit)).context;
  const kept = await store.map("big").entries();
  t.is(kept.length, lines.filter((line) => /^kept (\d+|rest|after)$/.test(line)).length);
  // Its end is in the journal, or is written as soon as that is possible.
  const [run] = await kit.runs.list();
  t.is(run?.state, "succeeded");
  await kit.close();
});

test("a directory that cannot be used is told in a sentence", async (t) => {
  const directory = temporaryDirectory(t);
  const state = join(directory, "state");
  writeFileSync(state, "");
  await t.throwsAsync(kitFor(t, {}, directory), {
    code: "directory_unusable",
    message: `The directory ${state} cannot be used: something else is in its place.`,
  });
  const other = temporaryDirectory(t);
  mkdirSync(join(other, "state", "reeve.db"), { recursive: true });
  await t.throwsAsync(kitFor(t, {}, other), { code: "store_unopenable" });
});

test("nothing is left open when the services have closed", async (t) => {
  const directory = temporaryDirectory(t);
  const kit = await kitFor(t, {}, directory);
  const { context } = await contextOf(kit);
  await context.store.database({});
  await context.store.map("m").set("a", 1);
  await context.jobs.queue("q", {}, async () => undefined);
  await context.processes.run({ argv: ["true"] });
  const sleeping = t.throwsAsync(context.clock.sleep(1_000_000));
  await Promise.all([kit.close(), kit.close()]);
  await sleeping;
  t.deepEqual(
    readdirSync("/proc/self/fd")
      .map((descriptor) => targetOf(`/proc/self/fd/${descriptor}`))
      .filter((target) => target.startsWith(directory)),
    [],
  );
  t.false(existsSync(join(directory, "state", "reeve.db-wal")));
  await t.throwsAsync(context.store.map("m").set("a", 2), { code: "store_closed" });
  await t.throwsAsync(context.store.map("m").get("a"), { code: "store_closed" });
  await t.throwsAsync(context.runs.start({ kind: "a", subject: "b" }), { code: "plugin_stopped" });
});
