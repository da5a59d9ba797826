import test from "ava";
import { ConcurrencyQueue } from "./concurrency-queue.js";
import { RunTracker } from "./run-tracker.js";

const slot = () => {
  const found = new ConcurrencyQueue({ concurrency: 1, queue: 0, overflow: "refuse" }).acquire();
  if (!found) throw new Error("a slot");
  return found;
};

test("a run that is just being recorded is cancelled with all others", (t) => {
  const tracker = new RunTracker();
  const [one, two] = [tracker.cancellation(slot()), tracker.cancellation(slot())];
  tracker.add("two", two);
  tracker.cancelAll("A newer run replaced it.");
  t.deepEqual([one.reason, two.reason], Array(2).fill("A newer run replaced it."));
});

test("a run that is just being recorded is cut off, and so is one that comes later", (t) => {
  const tracker = new RunTracker();
  const before = tracker.cancellation(slot());
  tracker.cutOff();
  t.true(before.aborted);
  t.true(tracker.cancellation(slot()).aborted);
});

test("it is finished when every run has ended and all work is over", async (t) => {
  const tracker = new RunTracker();
  await tracker.finished();
  tracker.add("one", tracker.cancellation(slot()));
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = tracker.track(promise);
  let isFinished = false;
  const finished = tracker.finished().then(() => {
    isFinished = true;
  });
  tracker.delete("one");
  await new Promise(setImmediate);
  t.false(isFinished);
  resolve();
  await work;
  await finished;
  t.false(tracker.cancel("one", "too late"));
});
