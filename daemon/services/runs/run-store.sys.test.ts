import test from "ava";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";

const hook = { kind: "hook", subject: "hook.deploy" } as const;

test("a run is told from its start to its end", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit, "hooks", 7);
  const run = await context.runs.start({
    ...hook,
    state: "queued",
    trigger: "POST /deploy",
    detail: { a: 1 },
  });
  const queued = await context.runs.get(run.id);
  t.like(queued, {
    ...hook,
    state: "queued",
    trigger: "POST /deploy",
    generation: 7,
    detail: { a: 1 },
    startedAt: undefined,
    finishedAt: undefined,
  });
  await run.running();
  run.output("stdout", "one\n");
  run.output("stderr", "two\n");
  t.is((await context.runs.get(run.id))?.output.text, "one\ntwo\n");
  await run.detail({ a: 2 });
  await run.finish({ state: "failed", exitCode: 3, reason: "It said no." });
  const record = await kit.runs.get(run.id);
  t.like(record, {
    state: "failed",
    exitCode: 3,
    reason: "It said no.",
    detail: { a: 2 },
    output: { text: "one\ntwo\n", bytes: 8, omitted: 0 },
  });
  t.true((record?.startedAt ?? 0) >= (record?.queuedAt ?? Number.POSITIVE_INFINITY));
  t.true((record?.finishedAt ?? 0) >= (record?.startedAt ?? Number.POSITIVE_INFINITY));
});

test("events tell about runs after they are written", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit, "hooks");
  const run = await context.runs.start({ ...hook, state: "queued" });
  await run.running();
  await run.finish({ state: "succeeded", exitCode: 0 });
  const emitted = kit.events.since(0)?.map(({ type, plugin, data }) => [type, plugin, data.state]);
  t.deepEqual(emitted, [
    ["run.started", "hooks", "queued"],
    ["run.running", "hooks", undefined],
    ["run.finished", "hooks", "succeeded"],
  ]);
});

test("the first ending counts", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit);
  const run = await context.runs.start(hook);
  await Promise.all([
    run.finish({ state: "timed_out", reason: "It took too long." }),
    run.finish({ state: "succeeded" }),
  ]);
  t.is((await kit.runs.get(run.id))?.state, "timed_out");
});

test("a thousand runs at once are a thousand records, in the order in which they were asked for", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit);
  const runs = await Promise.all(
    Array.from({ length: 1000 }, (_, index) => context.runs.start({ ...hook, detail: index })),
  );
  await Promise.all(runs.map((run) => run.finish({ state: "succeeded" })));
  const records = await kit.runs.list({ limit: 1000 });
  t.deepEqual(
    records.map(({ detail }) => detail),
    Array.from({ length: 1000 }, (_, index) => 999 - index),
  );
  t.true(records.every(({ state }) => state === "succeeded"));
});

test("lists are filtered and paged, newest first", async (t) => {
  const kit = await kitFor(t);
  const { context } = await contextOf(kit, "hooks");
  const other = await contextOf(kit, "updates");
  for (const subject of ["hook.a", "hook.b", "hook.a", "hook.b", "hook.a"]) {
    const run = await context.runs.start({ kind: "hook", subject });
    if (subject === "hook.a") await run.finish({ state: "succeeded" });
  }
  await other.context.runs.start({ kind: "update", subject: "updates.main" });
  const subjects = async (filter: Parameters<typeof kit.runs.list>[0]) =>
    (await kit.runs.list(filter)).map(({ subject }) => subject).join(" ");
  t.is(await subjects({}), "updates.main hook.a hook.b hook.a hook.b hook.a");
  t.is(await subjects({ kind: "hook", limit: 2 }), "hook.a hook.b");
  t.is(await subjects({ state: "running" }), "updates.main hook.b hook.b");
  const [, , third] = await kit.runs.list({ subject: "hook.a" });
  const [first] = await kit.runs.list({ limit: 1 });
  t.is(await subjects({ subject: "hook.a", before: first?.id ?? "" }), "hook.a hook.a hook.a");
  t.is(await subjects({ before: third?.id ?? "" }), "");
  t.like(await kit.runs.counts(), { running: 3, succeeded: 3, failed: 0 });
  t.is((await context.runs.list()).length, 5, "a plugin sees its own");
  t.is(await context.runs.get(first?.id ?? ""), undefined);
});

test("long output keeps its first and its last part", async (t) => {
  const kit = await kitFor(t);
  kit.setRunLimits({ keep: 10, age: 60_000, output: 20, total: 1024 * 1024 });
  const { context } = await contextOf(kit);
  const run = await context.runs.start(hook);
  for (const text of ["0123456789", "x".repeat(1000), "abcdefghij"]) run.output("stdout", text);
  await run.finish({ state: "succeeded" });
  t.deepEqual((await kit.runs.get(run.id))?.output, {
    text: "0123456789\n… 1000 bytes omitted …\nabcdefghij",
    bytes: 1020,
    omitted: 1000,
  });
});

test("characters and secrets stay whole across pieces of output", async (t) => {
  const kit = await kitFor(t);
  kit.mask.add("hunter2hunter2");
  const { context } = await contextOf(kit);
  kit.mask.add("1234567");
  const run = await context.runs.start({
    ...hook,
    trigger: "with hunter2hunter2",
    detail: { text: "is hunter2hunter2", number: 1234567 },
  });
  const bytes = Buffer.from("grüße 🌍 hunter2hunter2 end");
  for (const byte of bytes) run.output("stdout", Uint8Array.of(byte));
  run.output("stderr", "hunter2");
  await run.finish({ state: "failed", reason: "hunter2hunter2 was wrong." });
  const record = await kit.runs.get(run.id);
  t.is(record?.output.text, "grüße 🌍 (secret) endhunter2");
  t.is(record?.trigger, "with (secret)");
  t.deepEqual(record?.detail, { text: "is (secret)", number: 1234567 });
  t.is(record?.reason, "(secret) was wrong.");
});

test("old runs are forgotten, by number and by age, never those that go on", async (t) => {
  let now = 1_000_000;
  const kit = await kitFor(t, { clock: { now: () => now, sleep: () => new Promise(() => {}) } });
  kit.setRunLimits({ keep: 10, age: 60_000, output: 1024, total: 1024 * 1024 });
  const { context } = await contextOf(kit);
  const unfinished = await context.runs.start({ ...hook, subject: "hook.long" });
  for (let count = 0; count < 30; count++) {
    await (await context.runs.start(hook)).finish({ state: "succeeded" });
  }
  t.is((await kit.runs.list({ subject: hook.subject })).length, 10);
  now += 60_001;
  const last = await context.runs.start({ ...hook, subject: "hook.last" });
  await last.finish({ state: "succeeded" });
  const left = (await kit.runs.list()).map(({ subject }) => subject);
  t.deepEqual(left, ["hook.last", "hook.long"]);
  await unfinished.finish({ state: "succeeded" });
});

test("what asked for a run is given back whole, without secrets, and not in lists", async (t) => {
  const kit = await kitFor(t);
  kit.mask.add("hunter2hunter2");
  const { context } = await contextOf(kit);
  const request = { body: "x".repeat(10_000), headers: [{ via: "hunter2hunter2" }], n: 1 };
  const run = await context.runs.start({ ...hook, request });
  t.deepEqual((await context.runs.get(run.id))?.request, {
    ...request,
    headers: [{ via: "(secret)" }],
  });
  t.false("request" in ((await context.runs.list())[0] ?? {}));
  const large = { body: "x".repeat(300_000) };
  await t.throwsAsync(context.runs.start({ ...hook, request: large }), {
    message: /^The request of a run is 300011 bytes of JSON; at most 262144 are kept\.$/,
  });
  await run.finish({ state: "succeeded" });
});

test("all records together are bounded: those that ended first are forgotten, with their requests", async (t) => {
  let now = 1_000_000;
  const kit = await kitFor(t, { clock: { now: () => now, sleep: () => new Promise(() => {}) } });
  const limits = { keep: 10_000, age: 1e9, output: 200_000, total: 1_000_000 };
  kit.setRunLimits(limits);
  const { context } = await contextOf(kit);
  for (let count = 0; count < 20; count++) {
    now += 1;
    const run = await context.runs.start({ ...hook, detail: count, request: "r".repeat(60_000) });
    run.output("stdout", "o".repeat(40_000));
    await run.finish({ state: "succeeded" });
  }
  kit.setRunLimits(limits);
  const left = (await kit.runs.list()).map(({ detail }) => detail);
  t.deepEqual(left.at(0), 19);
  t.true(left.length >= 8 && left.length <= 10, String(left));
});

test("what a plugin leaves behind, and what a daemon leaves behind, is interrupted", async (t) => {
  const directory = temporaryDirectory(t);
  const first = await kitFor(t, {}, directory);
  const gone = await contextOf(first, "gone");
  const left = await gone.context.runs.start(hook);
  await gone.dispose();
  await t.throwsAsync(gone.context.runs.start(hook), { code: "plugin_stopped" });
  t.like(await first.runs.get(left.id), {
    state: "interrupted",
    reason: "The plugin stopped while it was running.",
  });
  await first.close();
  const second = await kitFor(t, {}, directory);
  t.is((await second.runs.get(left.id))?.state, "interrupted");
  const next = await (await contextOf(second)).context.runs.start(hook);
  t.true(next.id > left.id);
});

test("a detail that is too large, or no data, is refused in a sentence", async (t) => {
  const { context } = await contextOf(await kitFor(t));
  await t.throwsAsync(context.runs.start({ ...hook, detail: "x".repeat(70_000) }), {
    code: "value_too_large",
    message: "The detail of a run is 70002 bytes of JSON; at most 65536 are kept.",
  });
  await t.throwsAsync(context.runs.start({ ...hook, detail: () => 1 }), { code: "value_invalid" });
});
