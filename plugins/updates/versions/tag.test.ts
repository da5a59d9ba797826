/** Tags that carry a version. */
import test from "ava";
import { isSameKind, readTag, sameKind, tagVersioning } from "./tag.js";

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
  const sorted = [
    "1",
    "1.0.1",
    "1.2-beta2",
    "1.2-rc1",
    "1.2-rc2",
    "1.2-rc10",
    "1.2",
    "1.10",
    "2.0-alpine",
  ];
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

test("numbers are read up to three, and missing ones are 0", (t) => {
  t.deepEqual(tagVersioning.numbers("3"), [3, 0, 0]);
  t.deepEqual(tagVersioning.numbers("v1.2.3"), [1, 2, 3]);
  t.is(tagVersioning.numbers("latest"), undefined);
});

test("1000000 is read as a date, 999999 as a version", (t) => {
  t.is(tagVersioning.numbers("1000000"), undefined);
  t.deepEqual(tagVersioning.numbers("999999"), [999_999, 0, 0]);
});

test("a prerelease is known by the word after the numbers, not by a flavor", (t) => {
  for (const tag of ["1.2-rc1", "1.2b1", "v2.0.0-alpha.1", "3-nightly"])
    t.true(tagVersioning.isPrerelease(tag), tag);
  for (const tag of ["1.2", "20-alpine", "3.1-bookworm", "latest"])
    t.false(tagVersioning.isPrerelease(tag), tag);
});

test("two tags of which one has no version are not in order, and of no kind", (t) => {
  for (const [a, b] of [
    ["latest", "1.2"],
    ["1.2", "latest"],
  ] as const) {
    t.is(tagVersioning.compare(a, b), 0);
    t.false(isSameKind(a, b));
  }
  t.false(isSameKind("latest", "latest"));
  t.true(isSameKind("1.2-alpine", "1.3-alpine"));
});

test("releases with different flavors and the same numbers are in no order", (t) => {
  t.is(tagVersioning.compare("1.2-alpine", "1.2-bookworm"), 0);
  t.is(tagVersioning.compare("1.2", "1.2.0"), 0);
  t.is(tagVersioning.compare("1.2-rc1", "1.2-rc1"), 0);
});

test("a tag satisfies itself alone, and is its own lowest version", (t) => {
  t.true(tagVersioning.satisfies("v3", "v3"));
  t.false(tagVersioning.satisfies("v3.1", "v3"));
  t.is(tagVersioning.floor("v3"), "v3");
  t.is(tagVersioning.floor("latest"), undefined);
  t.true(tagVersioning.isVersion("v3"));
  t.false(tagVersioning.isVersion("latest"));
});
