import test from "ava";
import { ownedClock, realClock, startTimer, steady } from "./clock.js";

test("sleep ends when it is over, or with the reason of its signal", async (t) => {
  await realClock.sleep(1);
  await realClock.sleep(0);
  const stop = new AbortController();
  const sleeping = realClock.sleep(2 ** 40, stop.signal);
  const reason = new Error("enough");
  stop.abort(reason);
  t.is(await t.throwsAsync(sleeping), reason);
  t.is(await t.throwsAsync(realClock.sleep(5, stop.signal)), reason);
});

test("an owned clock stops with its owner", async (t) => {
  const owner = new AbortController();
  const clock = ownedClock(realClock, owner.signal);
  const other = new AbortController();
  const both = Promise.allSettled([clock.sleep(2 ** 40), clock.sleep(2 ** 40, other.signal)]);
  owner.abort(new Error("gone"));
  t.deepEqual(
    (await both).map((each) => each.status === "rejected" && (each.reason as Error).message),
    ["gone", "gone"],
  );
});

/** Runs `work` while the system's time is wrong by so many milliseconds. */
function shifted<Result>(milliseconds: number, work: () => Result): Result {
  const { now } = Date;
  Date.now = () => now() + milliseconds;
  try {
    return work();
  } finally {
    Date.now = now;
  }
}

const HOUR = 3_600_000;

for (const jump of [-HOUR, HOUR])
  test(`a jump of the system's time by ${jump / HOUR} h changes neither durations nor deadlines`, (t) => {
    for (const clock of [realClock, ownedClock(realClock, new AbortController().signal)]) {
      const timer = startTimer(clock);
      const before = steady(clock).now();
      shifted(jump, () => {
        t.true(Math.abs(clock.now() - timer.at) > HOUR / 2);
        t.true(timer.elapsed() >= 0 && timer.elapsed() < HOUR / 2);
        const passed = steady(clock).now() - before;
        t.true(passed >= 0 && passed < HOUR / 2);
      });
    }
  });

test("the clock of a test is its own steady clock", (t) => {
  let time = 5;
  const clock = { now: () => time, sleep: async () => undefined };
  const timer = startTimer(clock);
  time = 12;
  t.is(steady(clock), clock);
  t.deepEqual([timer.at, timer.elapsed()], [5, 7]);
});
