import test from "ava";
import { firstLook, nextCheck } from "./next-check.js";

const minute = 60_000;

for (const [since, wait] of [
  [0, 1],
  [10, 1],
  [60, 5],
  [240, 20],
  [12 * 60, 60],
  [7 * 24 * 60, 60],
] as const) {
  test(`${since} minutes after the last news a package is looked at ${wait} minutes later`, (t) => {
    const now = 1_000_000_000;
    const waits = Array.from({ length: 50 }, (_, index) => {
      return (nextCheck(`npm p-${index}`, now - since * minute, now) - now) / minute;
    });
    t.true(waits.every((each) => each >= wait * 0.9 && each <= wait * 1.1));
    t.true(Math.max(...waits) - Math.min(...waits) > wait * 0.1, "not all at the same moment");
  });
}

test("the first looks are spread over five minutes, and then there are as many minutes to the next", (t) => {
  const first = Array.from({ length: 200 }, (_, index) => firstLook(`npm p-${index}`, 0));
  const minutes = new Set(first.map(({ at }) => Math.floor(at / minute)));
  t.deepEqual([...minutes].sort(), [0, 1, 2, 3, 4]);
  t.true(first.every(({ changedAt }) => changedAt === -60 * minute));
});
