import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { startFixture } from "./testing/fixture.js";
import { hook, release, SERVER, UNTIL, WAIT } from "./testing/pieces.js";

test("a request to a full queue gets 429 with Retry-After", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${UNTIL}\n${WAIT}\nconcurrency = 1\nqueue = 1`),
  );
  const first = at.post("x?until=a&say=first");
  await at.next("hook.triggered");
  const second = at.post("x?until=a&say=second");
  await at.next("hook.triggered");
  const third = await at.post("x?until=a");
  t.is(third.status, 429);
  t.regex(third.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  const states = async () => (await at.plugin.runs()).toReversed().map(({ state }) => state);
  t.deepEqual(await states(), ["running", "queued"]);
  const released = Date.now();
  await release(at, "a");
  t.is(await (await first).text(), "first\n");
  t.is(await (await second).text(), "second\n");
  t.deepEqual(await states(), ["succeeded", "succeeded"]);
  const [other] = await at.plugin.runs();
  t.true((other?.startedAt ?? 0) >= released, "the second waited until the first was done");
});

test("drop_oldest replaces the longest waiting request", async (t) => {
  const limits = 'concurrency = 1\nqueue = 1\noverflow = "drop_oldest"';
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\n${limits}`));
  const first = at.post("x?until=a");
  await at.next("hook.triggered");
  const second = at.post("x?until=a");
  await at.next("hook.triggered");
  const third = at.post("x?until=a&say=third");
  t.is((await second).status, 503);
  const [, dropped] = (await at.plugin.runs()).toReversed();
  t.like(dropped, {
    state: "cancelled",
    startedAt: undefined,
    reason: "A newer request replaced it in the queue.",
  });
  await release(at, "a");
  t.is((await first).status, 200);
  t.is(await (await third).text(), "third\n");
});

test("a stop kills running commands, cancels waiting runs and leaves no process", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `run = ["sh", "-c", "echo $$ >pid; sleep 60"]\n${WAIT}\nconcurrency = 1`),
  );
  const running = at.post("x");
  await at.next("hook.triggered");
  const waiting = at.post("x");
  await at.next("hook.triggered");
  const written = await eventually("the number of the command's process", async () =>
    /^\d+\n/.exec(await readFile(join(at.directory, "pid"), "utf8")),
  );
  const pid = Number(written[0]);
  await at.stop(0);
  t.deepEqual([(await running).status, (await waiting).status], [503, 503]);
  const ends = at.plugin.events.filter(({ type }) => type === "run.finished");
  const states = ends.map(({ data }) => data.state);
  t.is(states.length, 2);
  t.true(
    states.every((state) => state === "cancelled" || state === "interrupted"),
    states.join(),
  );
  t.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("commands that end in time finish", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${WAIT}`));
  const running = at.post("x?until=a");
  await at.next("hook.triggered");
  const stopped = at.stop();
  await release(at, "a");
  t.is(await (await running).text(), "done\n");
  await stopped;
});

test("with wait a request waits for room", async (t) => {
  const limits = 'concurrency = 1\nqueue = 1\noverflow = "wait"';
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\n${limits}`));
  const all = ["first", "second", "third", "fourth"].map((say) => at.post(`x?until=a&say=${say}`));
  await at.next("hook.triggered");
  await at.next("hook.triggered");
  t.is((await at.plugin.runs()).length, 2, "the others have not been accepted yet");
  await release(at, "a");
  const answers = await Promise.all(all.map(async (answer) => (await answer).text()));
  t.deepEqual(answers.toSorted(), ["first\n", "fourth\n", "second\n", "third\n"]);
});

test("runs with the same key go one after the other, others beside them", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${UNTIL}\n${WAIT}\nconcurrency_key = query.key`),
  );
  const one = at.post("x?key=a&until=a&say=one");
  await at.next("run.started");
  const other = at.post("x?key=a&until=b&say=other");
  await at.next("run.started");
  const beside = at.post("x?key=b&until=c&say=beside");
  await release(at, "c");
  await release(at, "b");
  t.is(await (await beside).text(), "beside\n");
  const states = (await at.plugin.runs()).map(({ state }) => state).toReversed();
  t.deepEqual(states, ["running", "queued", "succeeded"]);
  await release(at, "a");
  t.deepEqual([await (await one).text(), await (await other).text()], ["one\n", "other\n"]);
});

test("keep_latest replaces waiting requests", async (t) => {
  const limits = 'concurrency = 1\noverflow = "keep_latest"';
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\n${limits}`));
  const first = at.post("x?until=a&say=first");
  await at.next("hook.triggered");
  const second = at.post("x?until=a");
  await at.next("hook.triggered");
  const third = at.post("x?until=a&say=third");
  t.is((await second).status, 503);
  await release(at, "a");
  t.deepEqual([await (await first).text(), await (await third).text()], ["first\n", "third\n"]);
});
