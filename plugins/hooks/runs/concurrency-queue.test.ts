import test from "ava";
import { ConcurrencyQueue, type QueueLimits, type Slot } from "./concurrency-queue.js";

const queueOf = (
  concurrency: number,
  queue: number,
  overflow: QueueLimits["overflow"] = "refuse",
) => new ConcurrencyQueue({ concurrency, queue, overflow });

/** What has been decided about a place by now. */
async function state(slot: Slot | undefined): Promise<string> {
  if (!slot) return "refused";
  return Promise.race([slot.turn, new Promise<string>((give) => setImmediate(give, "waiting"))]);
}

test("as many run at the same time as may, the next wait, the next are refused", async (t) => {
  const one = queueOf(2, 1);
  const slots = [one.acquire(), one.acquire(), one.acquire(), one.acquire()];
  t.deepEqual(await Promise.all(slots.map(state)), ["go", "go", "waiting", "refused"]);
  t.deepEqual(
    slots.map((slot) => slot?.waited),
    [false, false, true, undefined],
  );
});

test("the longest waiting one is next", async (t) => {
  const one = queueOf(1, 10);
  const [first, second, third] = [one.acquire(), one.acquire(), one.acquire()];
  first?.leave();
  t.deepEqual(await Promise.all([second, third].map(state)), ["go", "waiting"]);
  second?.leave();
  t.is(await state(third), "go");
});

test("without a queue nothing waits", async (t) => {
  const one = queueOf(1, 0, "drop_oldest");
  one.acquire();
  t.is(one.acquire(), undefined);
});

test("a full queue may drop the longest waiting one", async (t) => {
  const one = queueOf(1, 1, "drop_oldest");
  const [first, second, third] = [one.acquire(), one.acquire(), one.acquire()];
  t.deepEqual(await Promise.all([first, second, third].map(state)), ["go", "dropped", "waiting"]);
});

test("leaving twice frees one place, and leaving before one's turn frees none", async (t) => {
  const one = queueOf(1, 10);
  const [first, second, third, fourth] = [
    one.acquire(),
    one.acquire(),
    one.acquire(),
    one.acquire(),
  ];
  second?.leave();
  first?.leave();
  first?.leave();
  t.deepEqual(await Promise.all([third, fourth].map(state)), ["go", "waiting"]);
  t.is(one.running, 1);
});

test("new limits apply at once to waiting ones", async (t) => {
  const one = queueOf(1, 10);
  const slots = [one.acquire(), one.acquire(), one.acquire()];
  one.limits = { concurrency: 3, queue: 10, overflow: "refuse" };
  t.deepEqual(await Promise.all(slots.map(state)), ["go", "go", "go"]);
});

test("fewer slots apply as running ones leave", async (t) => {
  const one = queueOf(2, 10);
  const [first, second, third] = [one.acquire(), one.acquire(), one.acquire()];
  one.limits = { concurrency: 1, queue: 10, overflow: "refuse" };
  first?.leave();
  t.is(await state(third), "waiting");
  second?.leave();
  t.is(await state(third), "go");
});

test("it is empty when the last one has left, even after clear", async (t) => {
  const one = queueOf(1, 10);
  await one.empty();
  const [first, second] = [one.acquire(), one.acquire()];
  const empty = one.empty();
  one.clear();
  t.is(await state(second), "stopping");
  t.is(await Promise.race([empty, new Promise((give) => setImmediate(give, "busy"))]), "busy");
  first?.leave();
  await empty;
  t.is(one.running + one.waiting, 0);
});

test("a key runs once at a time; other keys overtake", async (t) => {
  const one = queueOf(2, 10);
  const [a1, a2, b1, b2] = [one.acquire("a"), one.acquire("a"), one.acquire("b"), one.acquire("b")];
  t.deepEqual(await Promise.all([a1, a2, b1, b2].map(state)), ["go", "waiting", "go", "waiting"]);
  b1?.leave();
  t.deepEqual(await Promise.all([a2, b2].map(state)), ["waiting", "go"]);
  a1?.leave();
  t.is(await state(a2), "go");
});

test("keep_latest replaces waiting ones with the same key", async (t) => {
  const one = queueOf(1, 10, "keep_latest");
  const [running, a1, b1, a2] = [
    one.acquire("a"),
    one.acquire("a"),
    one.acquire("b"),
    one.acquire("a"),
  ];
  t.deepEqual(await Promise.all([running, a1, b1, a2].map(state)), [
    "go",
    "dropped",
    "waiting",
    "waiting",
  ]);
  t.is(one.waiting, 2);
});

test("requests outside enter when there is room, in the order of arrival", async (t) => {
  const one = queueOf(1, 1, "wait");
  const [running, waiting] = [one.acquire(), one.acquire()];
  const patience = new AbortController();
  const [first, second, third] = [1, 2, 3].map(() =>
    one.acquireWithin(undefined, () => patience.signal),
  );
  running?.leave();
  const slot = await first;
  t.deepEqual(await Promise.all([waiting, slot].map(state)), ["go", "waiting"]);
  t.is(one.waiting, 1);
  patience.abort();
  t.deepEqual(await Promise.all([second, third]), [undefined, undefined]);
});

test("nothing waits outside with refuse, or without a queue", async (t) => {
  const never = new AbortController().signal;
  for (const one of [queueOf(1, 1, "refuse"), queueOf(1, 0, "wait")]) {
    one.acquire();
    one.acquire();
    t.is(await one.acquireWithin(undefined, () => never), undefined);
  }
});

test("an accepted run is queued again even if the queue is full", async (t) => {
  const one = queueOf(1, 0);
  const [first, second] = [one.reacquire("a"), one.reacquire("b")];
  t.deepEqual(await Promise.all([first, second].map(state)), ["go", "waiting"]);
  first.leave();
  t.is(await state(second), "go");
});

test("a request from outside has one slot, and gives it back", async (t) => {
  const one = queueOf(1, 1, "wait");
  const [running, waiting] = [one.acquire(), one.acquire()];
  const outside = one.acquireWithin(undefined, () => new AbortController().signal);
  running?.leave();
  const entered = await outside;
  waiting?.leave();
  t.is(await state(entered), "go");
  t.is(one.waiting, 0);
  entered?.leave();
  t.deepEqual([one.running, one.waiting], [0, 0]);
  await one.empty();
  t.false(one.acquire()?.waited);
});

test("what waits outside is refused at a stop, and takes no slot later", async (t) => {
  const one = queueOf(1, 1, "wait");
  const [running] = [one.acquire(), one.acquire()];
  const outside = one.acquireWithin(undefined, () => new AbortController().signal);
  one.clear();
  t.is(await outside, undefined);
  running?.leave();
  t.deepEqual([one.running, one.waiting], [0, 0]);
});
