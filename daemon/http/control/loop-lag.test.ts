import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { LoopLag } from "./loop-lag.js";

test("a loop that stands still is noticed, in tenths of a millisecond", async (t) => {
  const lag = new LoopLag();
  t.teardown(() => lag.stop());
  t.deepEqual(lag.now(), { median: 0, max: 0 });
  await eventually(
    "a lag",
    () => {
      if (lag.now().max >= 100) return true;
      const until = performance.now() + 200;
      while (performance.now() < until);
      return false;
    },
    { every: 60 },
  );
  const { median, max } = lag.now();
  t.true(max >= 100);
  t.true(median <= max);
  t.is(max, Math.round(max * 10) / 10);
});
