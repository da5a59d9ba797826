/** `watch` blocks, with real files and commands. */
import { mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import test from "ava";
import { output } from "../../../tests/support/child.js";
import { eventually, remains } from "../../../tests/support/eventually.js";
import { runs } from "../../../tests/support/runs.js";
import { started } from "./testing/watching.js";

const block = (more: string): string =>
  `watch "x" {\n  paths = ["./src/**/*.scss"]\n  debounce = 20ms\n  stdin = changes\n  ${more}\n}\n`;
const cat = 'run = ["cat"]';

test("nothing runs at the start; a change runs the command with the change as data", async (t) => {
  const at = await started(t, block(cat));
  t.like(await at.summary(), { name: "x", subject: "watch.x", files: 1, runs: 0 });
  at.write("src/a.scss", "ab");
  t.deepEqual(await at.seen(1), [[{ path: "src/a.scss", kind: "changed", size: 2 }]]);
  const [run, ...others] = await at.plugin.runs();
  t.deepEqual(others, []);
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
  at.write("src/deep/er/d.scss", "dddd");
  t.deepEqual((await at.seen(1))[0], [{ path: "src/deep/er/d.scss", kind: "created", size: 4 }]);
  await rename(at.path("src/b.scss"), at.path("src/e.scss"));
  t.deepEqual((await at.seen(2))[1], [
    { path: "src/b.scss", kind: "removed", size: 2 },
    { path: "src/e.scss", kind: "created", size: 2 },
  ]);
  await rename(at.path("aside"), at.path("src/inside"));
  t.deepEqual((await at.seen(3))[2], [{ path: "src/inside/c.scss", kind: "created", size: 1 }]);
  await rm(at.path("src"), { recursive: true });
  // A busy machine may see a part of it first.
  const removed = await eventually("four files to be removed", async () => {
    const changes = (await at.seen(4)).slice(3).flat();
    return changes.length >= 4 && changes.map(({ path, kind }) => `${kind} ${path}`);
  });
  t.deepEqual(
    removed.toSorted(),
    ["a", "deep/er/d", "e", "inside/c"].map((name) => `removed src/${name}.scss`),
  );
});

test("what does not match, is ignored, or has the same content again runs nothing", async (t) => {
  const more = `ignore = ["./src/made/**"]\n${cat}`;
  const at = await started(t, block(more), { "src/a.scss": "a", "src/made/b.scss": "b" });
  t.is((await at.summary()).files, 1);
  at.write("src/a.txt");
  at.write("src/made/b.scss");
  at.write("src/made/new.scss");
  at.write("src/a.scss", "a");
  at.write("src/c.scss", "c");
  t.deepEqual(await at.seen(1), [[{ path: "src/c.scss", kind: "created", size: 1 }]]);
});

test("a file too large to be read is compared by its size and times", async (t) => {
  const at = await started(t, block(cat), { "src/a.scss": "x".repeat(2 ** 20 + 1) });
  at.write("src/a.scss", "y".repeat(2 ** 20 + 1));
  t.deepEqual(await at.seen(1), [[{ path: "src/a.scss", kind: "changed", size: 2 ** 20 + 1 }]]);
});

const count = runs(1500, 5000);

test(`a checkout of ${count} files is one run, with 1,000 changes and the number of the others`, async (t) => {
  const many = Array.from({ length: count }, (_, index) => [`src/${index}.scss`, `${index}`]);
  const files = { "src/a.scss": "a", ...Object.fromEntries(many) };
  const at = await started(t, block('run = ["sh", "-c", "cat; echo $0 >&2", more_changes]'), files);
  const git = (...words: readonly string[]) =>
    output("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: at.plugin.folder,
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
  at.write("src/last.scss");
  const ended = await at.ended(3);
  t.deepEqual(
    ended.map(({ detail }) => (detail as { changes: number }).changes),
    [count, count, 1],
  );
  const printed = (await at.plugin.run(ended[1]?.id ?? ""))?.output;
  t.true(printed?.text.endsWith(`${count - 1000}\n`));
});

test("changes during a run start one more run for all of them", async (t) => {
  const at = await started(
    t,
    block(`run = ["sh", "-c", "cat; until [ -e go ]; do sleep 0.02; done"]\nmax_wait = 200ms`),
  );
  at.write("src/a.scss");
  await at.plugin.until(async () => (await at.summary()).running === 1, "the first run");
  for (const [index, name] of ["b", "c", "d"].entries()) {
    at.write(`src/${name}.scss`);
    await at.knows(index + 2);
  }
  await rm(at.path("src/d.scss"));
  await at.knows(3);
  t.is((await at.plugin.runs()).length, 1, "it runs once at a time");
  at.write("go");
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
  at.write("src/a.scss");
  await at.knows(2);
  at.write("go");
  await at.ended(1);
  await at.plugin.until(async () => (await at.summary()).running === 0, "its end");
  at.write("src/b.scss");
  t.deepEqual(
    (await at.ended(2)).map(({ trigger }) => trigger),
    ["src/a.scss", "src/b.scss"],
  );
});

test('with busy = "restart" the run is cancelled, and the next one has the new changes', async (t) => {
  const at = await started(
    t,
    block('busy = "restart"\nrun = ["sh", "-c", "cat; until [ -e go ]; do sleep 0.02; done"]'),
  );
  at.write("src/a.scss");
  await at.plugin.until(async () => {
    const [{ id } = { id: "" }] = await at.plugin.runs();
    return ((await at.plugin.run(id))?.output.text ?? "") !== "";
  }, "the first command to write");
  at.write("src/b.scss");
  await at.plugin.until(
    async () => (await at.plugin.runs()).some(({ state }) => state === "cancelled"),
    "the first run to be cancelled",
  );
  at.write("go");
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
  at.write("src/a.scss");
  await at.plugin.until(
    () => at.plugin.events.some(({ type }) => type === "watch.loop"),
    "the loop to be found",
  );
  const [loop] = at.plugin.events.filter(({ type }) => type === "watch.loop");
  t.deepEqual(loop?.data, { watch: "x", path: at.path("src/own.scss") });
  await at.ended(6);
  // The first run was for another file.
  const { length } = await at.plugin.runs();
  // More where a busy machine took so long that a change did not seem to be the command's.
  t.true(length >= 6);
  const isHeld = async () => (await at.plugin.runs()).length === length;
  await t.notThrowsAsync(remains("no run follows", isHeld, 300));
  t.regex((await at.summary()).problem ?? "", /changes the files that it watches/);
  const health = await at.plugin.health();
  t.is(health?.state, "degraded");
});

test("an edit of the command keeps what is known; an edit of the paths begins anew", async (t) => {
  const at = await started(t, block(cat), {
    "src/a.scss": "a",
    "other/a.scss": "a",
    "other/b.scss": "b",
  });
  const edited = block('run = ["sh", "-c", "cat >/dev/null; echo []"]');
  t.true((await at.plugin.reload(edited)).committed);
  at.write("src/a.scss");
  t.deepEqual(await at.seen(1), [[]]);
  const elsewhere = edited.replace("./src/**", "./other/**");
  t.true((await at.plugin.reload(elsewhere)).committed);
  await at.knows(2);
  at.write("src/a.scss");
  at.write("other/b.scss");
  await at.ended(2);
  t.true((await at.plugin.reload("")).committed);
  at.write("other/b.scss");
  t.true((await at.plugin.reload(elsewhere)).committed);
  await at.knows(2);
  at.write("other/c.scss");
  t.deepEqual(
    (await at.ended(3)).map(({ trigger }) => trigger),
    ["src/a.scss", "other/b.scss", "other/c.scss"],
  );
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
  at.write("src/a.scss");
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
  at.write("aside/t.scss", "22");
  t.deepEqual((await at.seen(2))[1], [{ path: "src/l.scss", kind: "changed", size: 2 }]);
  t.is(await readFile(at.path("src/l.scss"), "utf8"), "22");
});
