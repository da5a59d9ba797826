import test from "ava";
import { absolute, countText, duration, ratio, relative, size, when } from "./units.js";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

const durations: ReadonlyArray<readonly [milliseconds: number, shown: string]> = [
  [0, "0ms"],
  [0.4, "0ms"],
  [12.3, "12ms"],
  [999, "999ms"],
  [1000, "1s"],
  [3_450, "3.4s"],
  [9_999, "9.9s"],
  [10_900, "10s"],
  [59_999, "59s"],
  [m, "1m"],
  [2 * m + 5 * s, "2m 5s"],
  [h - 1, "59m 59s"],
  [4 * h + 10 * m + 59 * s, "4h 10m"],
  [d, "1d"],
  [12 * d + 3 * h, "12d 3h"],
  [-5, "0ms"],
];
for (const [milliseconds, shown] of durations) {
  test(`${milliseconds} milliseconds are ${shown}`, (t) => t.is(duration(milliseconds), shown));
}

const sizes: ReadonlyArray<readonly [bytes: number, shown: string]> = [
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1434, "1.4 KiB"],
  [10 * 1024, "10 KiB"],
  [1024 * 1024 - 1, "1 MiB"],
  [12 * 1024 * 1024, "12 MiB"],
  [3 * 1024 ** 5, "3072 TiB"],
];
for (const [bytes, shown] of sizes) {
  test(`${bytes} bytes are ${shown}`, (t) => t.is(size(bytes), shown));
}

const now = new Date(2026, 10, 21, 14, 2, 11).getTime();
const moments: ReadonlyArray<readonly [at: number, shown: string]> = [
  [now, "just now (14:02:11)"],
  [now - 5 * s, "5s ago (14:02:06)"],
  [now - 2 * h - 3 * m, "2h ago (11:59:11)"],
  [now + 30 * s, "in 30s (14:02:41)"],
  [now - 3 * d, "3d ago (2026-11-18 14:02:11)"],
];
for (const [at, shown] of moments) {
  test(`a moment is shown as ${shown}`, (t) => t.is(when(at, now), shown));
}

test("a moment can be told in either way alone", (t) => {
  t.is(relative(now - 1500, now), "1s ago");
  t.is(absolute(now - d, now), "2026-11-20 14:02:11");
});

test("shares are percentages and counts agree with their word", (t) => {
  t.is(ratio(0.123), "12 %");
  t.is(countText(1, "run"), "1 run");
  t.is(countText(0, "run"), "0 runs");
});
