/** Tags that carry a version. */
import test from "ava";
import { readTag, sameKind, tagVersioning } from "./tag.js";

const read: ReadonlyArray<
  readonly [text: string, prefix: string, numbers: string, suffix: string]
> = [
  ["v3", "v", "3", ""],
  ["20.5-alpine3.18", "", "20.5", "-alpine3.18"],
  ["release-1.2.3", "release-", "1.2.3", ""],
  ["1.2.3-rc1", "", "1.2.3", "-rc1"],
  ["2024.01", "", "2024.1", ""],
  ["jdk-21_35", "jdk-", "21.35", ""],
];
for (const [text, prefix, numbers, suffix] of read)
  test(`${text} is read`, (t) => {
    const tag = readTag(text);
    t.deepEqual([tag?.prefix, tag?.numbers.join("."), tag?.suffix], [prefix, numbers, suffix]);
  });

for (const text of ["latest", "alpine", "", "main"])
  test(`"${text}" carries no version`, (t) => {
    t.is(readTag(text), undefined);
  });

test("the order is that of numbers, prereleases before their release", (t) => {
  const sorted = ["1", "1.0.1", "1.2-beta2", "1.2-rc1", "1.2-rc2", "1.2", "1.10", "2.0-alpine"];
  t.deepEqual(sorted.toReversed().toSorted(tagVersioning.compare), sorted);
});

const alike: ReadonlyArray<readonly [a: string, b: string, same: boolean]> = [
  ["20-alpine", "22-alpine", true],
  ["20-alpine", "22", false],
  ["20", "20.1", false],
  ["v3", "3", false],
  ["3.18", "20240101", false],
  ["20", "20240101", false],
  ["1.2-rc1", "1.2", true],
  ["20.5-alpine3.18", "20.6-alpine3.19", false],
];
for (const [a, b, same] of alike)
  test(`${b} ${same ? "could" : "could not"} take the place of ${a}`, (t) => {
    const [first, second] = [readTag(a), readTag(b)];
    if (!first || !second) return t.fail();
    t.is(sameKind(first, second), same);
  });

test("only what looks like semver has numbers that mean something", (t) => {
  t.deepEqual(tagVersioning.numbers("v3.1"), [3, 1, 0]);
  t.is(tagVersioning.numbers("20240101"), undefined);
  t.is(tagVersioning.numbers("1.2.3.4"), undefined);
});
