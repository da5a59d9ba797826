import test from "ava";
import { isRecent, timeIn } from "./timestamp.js";

const NEW_YEAR = Date.UTC(2026, 0, 1);

for (const [written, time] of [
  ["1767225600", NEW_YEAR],
  [" 1767225600 ", NEW_YEAR],
  ["1767225600.5", NEW_YEAR + 500],
  ["1767225600000", NEW_YEAR],
  ["2026-01-01T00:00:00Z", NEW_YEAR],
  ["2026-01-01T01:00:00.250+01:00", NEW_YEAR + 250],
  ["Thu, 01 Jan 2026 00:00:00 GMT", NEW_YEAR],
  ["", undefined],
  ["-1", undefined],
  ["1e9", undefined],
  ["0x10", undefined],
  ["2026", 2_026_000],
  ["2026-13-01T00:00:00Z", undefined],
  ["yesterday", undefined],
  ["Infinity", undefined],
] as const) {
  test(`"${written}" is ${time === undefined ? "no time" : new Date(time).toISOString()}`, (t) => {
    t.is(timeIn(written), time);
  });
}

test("a request is recent within the tolerance, before and after, the limit included", (t) => {
  const recent = (now: number) => isRecent("1767225600", now, 5000);
  t.true(recent(NEW_YEAR + 5000));
  t.false(recent(NEW_YEAR + 5001));
  t.true(recent(NEW_YEAR - 5000));
  t.false(recent(NEW_YEAR - 5001));
  t.false(isRecent("yesterday", NEW_YEAR, Number.POSITIVE_INFINITY));
});
