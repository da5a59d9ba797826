import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { house } from "./testing/house.js";
import { hook, release, SERVER, UNTIL, WAIT } from "./testing/pieces.js";

test("who comes when the queue is full is asked to come again", async (t) => {
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\nconcurrency = 1\nqueue = 1`));
  const first = at.post("x?until=a&say=first");
  await at.next("hook.triggered");
  const second = at.post("x?until=a&say=second");
  await at.next("hook.triggered");
  const third = await at.post("x?until=a");
  t.is(third.status, 429);
  t.regex(third.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  await release(at, "a");
  t.is(await (await first).text(), "first\n");
  t.is(await (await second).text(), "second\n");
  const [one, other] = (await at.plugin.runs()).toReversed();
  t.deepEqual([one?.state, other?.state], ["succeeded", "succeeded"]);
  t.true((other?.queuedAt ?? 0) <= (one?.finishedAt ?? 0), "the second waited");
  t.true((other?.startedAt ?? 0) >= (one?.finishedAt ?? Infinity) - 1, "until the first was done");
});

test("or the one that has waited longest gives way", async (t) => {
  const limits = 'concurrency = 1\nqueue = 1\noverflow = "drop_oldest"';
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\n${limits}`));
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
    reason: "A newer request took its place in the queue.",
  });
  await release(at, "a");
  t.is((await first).status, 200);
  t.is(await (await third).text(), "third\n");
});

test("the end cuts off what runs and sends home who waits, and leaves no command behind", async (t) => {
  const at = await house(
    t,
    SERVER + hook("x", `run = ["sh", "-c", "echo $$ >pid; sleep 60"]\n${WAIT}\nconcurrency = 1`),
  );
  const running = at.post("x");
  await at.next("hook.triggered");
  const waiting = at.post("x");
  await at.next("hook.triggered");
  await until(async () => (await readFile(join(at.directory, "pid"), "utf8")).trim() !== "");
  const pid = Number(await readFile(join(at.directory, "pid"), "utf8"));
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

test("what can end in time does", async (t) => {
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}`));
  const running = at.post("x?until=a");
  await at.next("hook.triggered");
  const stopped = at.stop();
  await release(at, "a");
  t.is(await (await running).text(), "done\n");
  await stopped;
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await new Promise((again) => setTimeout(again, 5));
}
