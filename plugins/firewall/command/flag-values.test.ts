import test from "ava";
import { readDuration, readSize } from "./flag-values.js";

const durations: ReadonlyArray<readonly [text: string, ms: number]> = [
  ["90", 90_000],
  ["90s", 90_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["250ms", 250],
];
test("durations are parsed", (t) => {
  t.deepEqual(
    durations.map(([text]) => readDuration(text)),
    durations.map(([, ms]) => ms),
  );
});

test("sizes are parsed", (t) => {
  t.deepEqual(["512m", "4g", "1.5GiB", "2048K", "1048576"].map(readSize), [
    512 * 2 ** 20,
    4 * 2 ** 30,
    1.5 * 2 ** 30,
    2 ** 21,
    2 ** 20,
  ]);
});
