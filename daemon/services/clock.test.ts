import test from "ava";
import { ownedClock, realClock } from "./clock.js";

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
