/** `watch` blocks, with real files and commands. */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import type { RunRecord } from "reeve/plugin";
import { type PluginUnderTest, testPlugin } from "reeve/testing";
import type { FileChange } from "../blocks/watch.js";
import type { WatchSummary } from "../evidence/api.js";

const MODULE = new URL("../plugin.js", import.meta.url);

interface Fixture {
  readonly plugin: PluginUnderTest;
  path(name: string): string;
  write(name: string, text?: string): Promise<void>;
  /** Runs that have ended, oldest first, as soon as there are so many. */
  ended(count: number): Promise<readonly RunRecord[]>;
  /** What the command of each ended run has read on its standard input, with relative paths. */
  seen(count: number): Promise<ReadonlyArray<readonly FileChange[]>>;
  summary(): Promise<WatchSummary>;
}

const block = (more: string): string =>
  `watch "x" {\n  paths = ["./src/**/*.scss"]\n  debounce = 20ms\n  stdin = changes\n  ${more}\n}\n`;
const cat = 'run = ["cat"]';

async function started(
  t: ExecutionContext,
  config: string,
  files: Readonly<Record<string, string>> = { "src/a.scss": "a" },
): Promise<Fixture> {
  t.timeout(60_000);
  const plugin = await testPlugin(MODULE, { config, files });
  t.teardown(() => plugin.stop());
  const path = (name: string): string => join(plugin.folder, name);
  const summary = async (): Promise<WatchSummary> =>
    JSON.parse((await plugin.control({ url: "/v1/hooks/watches" })).body).watches[0];
  const all = async () =>
    (await plugin.runs({ kind: "watch" }))
      .filter(({ finishedAt }) => finishedAt !== undefined)
      .toReversed();
  const ended = async (count: number) => {
    await plugin.until(async () => (await all()).length >= count, `${count} runs to end`);
    return all();
  };
  await plugin.until(async () => (await summary()).files !== undefined, "the files to be known");
  return {
    plugin,
    path,
    summary,
    ended,
    async write(name, text = `${Math.random()}`) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), text);
    },
    async seen(count) {
      const runs = await ended(count);
      return Promise.all(
        runs.map(async ({ id }) => {
          const text = (await plugin.run(id))?.output?.text ?? "[]";
          return (JSON.parse(text) as FileChange[]).map((change) => ({
            ...change,
            path: change.path.slice(plugin.folder.length + 1),
          }));
        }),
      );
    },
  };
}

test("nothing runs at the start; a change runs the command with the change as data", async (t) => {
  const at = await started(t, block(cat));
  t.like(await at.summary(), { name: "x", subject: "watch.x", files: 1, runs: 0 });
  await sleep(200);
  t.deepEqual(await at.plugin.runs(), []);
  await at.write("src/a.scss", "ab");
  t.deepEqual(await at.seen(1), [[{ path: "src/a.scss", kind: "changed", size: 2 }]]);
  const [run] = await at.ended(1);
  const { kind, subject, trigger, state, detail } = run ?? {};
  t.deepEqual(
    { kind, subject, trigger, state },
    { kind: "watch", subject: "watch.x", trigger: "src/a.scss", state: "succeeded" },
  );
  t.like(detail, { changes: 1 });
  const types = at.plugin.events.map(({ type }) => type).filter((type) => /^watch/.test(type));
  t.deepEqual(types, ["watch.triggered", "watch.finished"]);
});

test("files that are created, removed, moved or made by a directory's move are changes", async (t) => {
  const files = { "src/a.scss": "a", "src/b.scss": "bb", "aside/c.scss": "c" };
  const at = await started(t, block(cat), files);
  await at.write("src/deep/er/d.scss", "dddd");
  t.deepEqual((await at.seen(1))[0], [{ path: "src/deep/er/d.scss", kind: "created", size: 4 }]);
  await rename(at.path("src/b.scss"), at.path("src/e.scss"));
  t.deepEqual((await at.seen(2))[1], [
    { path: "src/b.scss", kind: "removed", size: 2 },
    { path: "src/e.scss", kind: "created", size: 2 },
  ]);
  await rename(at.path("aside"), at.path("src/inside"));
  t.deepEqual((await at.seen(3))[2], [{ path: "src/inside/c.scss", kind: "created", size: 1 }]);
  await rm(at.path("src"), { recursive: true });
  t.deepEqual(
    (await at.seen(4))[3]?.map(({ path, kind }) => `${kind} ${path}`),
    ["a", "deep/er/d", "e", "inside/c"].map((name) => `removed src/${name}.scss`),
  );
});

test("what does not match, is ignored, or has the same content again runs nothing", async (t) => {
  const more = `ignore = ["./src/made/**"]\n${cat}`;
  const at = await started(t, block(more), { "src/a.scss": "a", "src/made/b.scss": "b" });
  t.is((await at.summary()).files, 1);
  await at.write("src/a.txt");
  await at.write("src/made/b.scss");
  await at.write("src/made/new.scss");
  await at.write("src/a.scss", "a");
  await sleep(300);
  t.deepEqual(await at.plugin.runs(), []);
  await at.write("src/a.scss", "other");
  t.is((await at.seen(1))[0]?.length, 1);
});

test("a file too large to be read is compared by its size and times", async (t) => {
  const at = await started(t, block(cat), { "src/a.scss": "x".repeat(2 ** 20 + 1) });
  await at.write("src/a.scss", "y".repeat(2 ** 20 + 1));
  t.deepEqual(await at.seen(1), [[{ path: "src/a.scss", kind: "changed", size: 2 ** 20 + 1 }]]);
});

test("a checkout of 5,000 files is one run, with 1,000 changes and the number of the others", async (t) => {
  const many = Array.from({ length: 5000 }, (_, index) => [`src/${index}.scss`, `${index}`]);
  const files = { "src/a.scss": "a", ...Object.fromEntries(many) };
  const at = await started(t, block('run = ["sh", "-c", "cat; echo $0 >&2", more_changes]'), files);
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: at.plugin.folder,
      stdio: "ignore",
    });
  git("init", "-q", "-b", "main");
  git("add", "src/a.scss");
  git("commit", "-q", "-m", "one");
  git("checkout", "-q", "-b", "many");
  git("add", "src");
  git("commit", "-q", "-m", "many");
  git("checkout", "-q", "main");
  await at.ended(1);
  git("checkout", "-q", "many");
  await at.ended(2);
  await sleep(500);
  const runs = await at.ended(2);
  t.deepEqual(
    runs.map(({ detail }) => (detail as { changes: number }).changes),
    [5000, 5000],
  );
  const output = (await at.plugin.run(runs.at(-1)?.id ?? ""))?.output;
  t.regex(output?.text ?? "", /4000\n$/);
});

test("changes during a run start one more run for all of them", async (t) => {
  const at = await started(
    t,
    block(`run = ["sh", "-c", "cat; until [ -e go ]; do sleep 0.02; done"]\nmax_wait = 200ms`),
  );
  await at.write("src/a.scss");
  await at.plugin.until(async () => (await at.summary()).running === 1, "the first run");
  for (const name of ["b", "c", "d"]) {
    await at.write(`src/${name}.scss`);
    await sleep(60);
  }
  await rm(at.path("src/d.scss"));
  await sleep(800);
  t.is((await at.plugin.runs()).length, 1, "it runs once at a time");
  await at.write("go");
  const paths = (await at.seen(2)).map((changes) => changes.map(({ path }) => path));
  t.deepEqual(paths, [["src/a.scss"], ["src/b.scss", "src/c.scss"]]);
});

test('with busy = "ignore" changes during a run start nothing', async (t) => {
  const at = await started(
    t,
    block(
      'busy = "ignore"\nrun = ["sh", "-c", "echo >src/own.scss; until [ -e go ]; do sleep 0.02; done"]',
    ),
  );
  await at.write("src/a.scss");
  await at.plugin.until(async () => (await at.summary()).files === 2, "the command's own file");
  await at.write("go");
  await at.ended(1);
  await sleep(300);
  t.is((await at.plugin.runs()).length, 1);
});

test('with busy = "restart" the run is cancelled, and the next one has the new changes', async (t) => {
  const at = await started(
    t,
    block('busy = "restart"\nrun = ["sh", "-c", "cat; until [ -e go ]; do sleep 0.02; done"]'),
  );
  await at.write("src/a.scss");
  await at.plugin.until(async () => (await at.summary()).running === 1, "the first run");
  await at.write("src/b.scss");
  await at.plugin.until(
    async () => (await at.plugin.runs()).some(({ state }) => state === "cancelled"),
    "the first run to be cancelled",
  );
  await at.write("go");
  const runs = await at.ended(2);
  t.deepEqual(
    runs.map(({ state }) => state),
    ["cancelled", "succeeded"],
  );
  t.is(runs[0]?.reason, "The files have changed again.");
  t.deepEqual(
    (await at.seen(2))[1]?.map(({ path }) => path),
    ["src/b.scss"],
  );
});

test("a command that changes what starts it is found after five runs, and held back", async (t) => {
  const at = await started(t, block('run = ["sh", "-c", "date +%N >src/own.scss"]'));
  await at.write("src/a.scss");
  await at.plugin.until(
    () => at.plugin.events.some(({ type }) => type === "watch.loop"),
    "the loop to be found",
  );
  const [loop] = at.plugin.events.filter(({ type }) => type === "watch.loop");
  t.deepEqual(loop?.data, { watch: "x", path: at.path("src/own.scss") });
  await at.ended(6);
  await sleep(400);
  // The first run was for another file.
  t.is((await at.plugin.runs()).length, 6);
  t.regex((await at.summary()).problem ?? "", /changes the files that it watches/);
  const health = await at.plugin.health();
  t.is(health?.state, "degraded");
});

test("an edit of the command keeps what is known; an edit of the paths begins anew", async (t) => {
  const at = await started(t, block(cat), { "src/a.scss": "a", "other/b.scss": "b" });
  const edited = block('run = ["sh", "-c", "cat >/dev/null; echo []"]');
  t.true((await at.plugin.reload(edited)).committed);
  await at.write("src/a.scss");
  t.deepEqual(await at.seen(1), [[]]);
  const elsewhere = edited.replace("./src/**", "./other/**");
  t.true((await at.plugin.reload(elsewhere)).committed);
  await at.plugin.until(async () => (await at.summary()).files === 1, "the other files");
  await at.write("src/a.scss");
  await sleep(200);
  t.is((await at.plugin.runs()).length, 1);
  await at.write("other/b.scss");
  await at.ended(2);
  t.true((await at.plugin.reload("")).committed);
  await at.write("other/b.scss");
  await sleep(200);
  t.is((await at.plugin.runs()).length, 2);
});

test("a run by hand has no changes; a task follows, and an unknown watch is refused", async (t) => {
  const at = await started(
    t,
    `${block(cat)}task "after" {\n  after = [watch.x]\n  run = ["echo", parent.output]\n}\n`,
  );
  const post = (watch: string) =>
    at.plugin.control({ method: "POST", url: "/v1/hooks/watch/run", payload: { watch } });
  t.is((await post("x")).status, 200);
  t.deepEqual(await at.seen(1), [[]]);
  await at.plugin.until(
    async () => (await at.plugin.runs({ subject: "task.after" })).length === 1,
    "the task",
  );
  t.is((await post("y")).status, 404);
});

test("a value that is missing is a failed run with the reason", async (t) => {
  const at = await started(t, block('run = ["echo", changes[7].path]'));
  await at.write("src/a.scss");
  const [run] = await at.ended(1);
  t.is(run?.state, "failed");
  t.truthy(run?.reason);
});

test("a directory that does not exist yet is watched; a link counts as its target", async (t) => {
  const at = await started(t, block(cat), { "aside/t.scss": "1" });
  t.is((await at.summary()).files, 0);
  await mkdir(at.path("src"));
  await symlink("../aside/t.scss", at.path("src/l.scss"));
  t.deepEqual((await at.seen(1))[0], [{ path: "src/l.scss", kind: "created", size: 1 }]);
  await at.write("aside/t.scss", "22");
  t.deepEqual((await at.seen(2))[1], [{ path: "src/l.scss", kind: "changed", size: 2 }]);
  t.is(await readFile(at.path("src/l.scss"), "utf8"), "22");
});
