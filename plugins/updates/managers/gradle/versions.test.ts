/** The order of versions from the examples in Gradle's manual, and the meaning of requirements. */
import test from "ava";
import fc from "fast-check";
import { compareGradle, gradleFloor, gradleSatisfies, raisedGradle } from "./versions.js";

/** Each is older than the next. */
const orders: readonly (readonly string[])[] = [
  [
    "1.0-dev",
    "1.0-ALPHA",
    "1.0-alpha",
    "1.0-rc",
    "1.0-SNAPSHOT",
    "1.0-final",
    "1.0-GA",
    "1.0-release",
    "1.0-sp",
    "1.0",
  ],
  ["1.A", "1.B", "1.a", "1.b"],
  ["1.1.a", "1.1", "1.1.0"],
  ["1.a", "1.1"],
  ["1.0-zeta", "1.0-rc", "1.0"],
  ["1.2", "1.10", "2"],
  ["1.0-rc-1", "1.0-rc-2", "1.0"],
  ["6.0.0.Beta1", "6.0.0.CR1", "6.0.0.Final"],
  ["1.99999999999999999999", "1.9223372036854775807"],
  ["1.100000000000000000000", "1.99999999999999999999"],
];
for (const order of orders)
  test(order.join(" < "), (t) => {
    for (const [index, version] of order.entries())
      for (const later of order.slice(index + 1)) {
        t.true(compareGradle(version, later) < 0, `${version} < ${later}`);
        t.true(compareGradle(later, version) > 0, `${later} > ${version}`);
      }
  });

for (const same of [
  ["1.a.1", "1-a+1", "1.a-1", "1a1", "1_a1"],
  ["1.0-RC", "1.0-rc"],
])
  test(`${same.join(", ")} are the same`, (t) => {
    for (const each of same) t.is(compareGradle(same[0] ?? "", each), 0, each);
  });

test("the order is antisymmetric and transitive", (t) => {
  const version = fc
    .array(fc.constantFrom("1", "0", "10", "a", "B", "rc", "dev", "sp", "final", "x9"), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join("."));
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      t.is(Math.sign(compareGradle(a, b)) + Math.sign(compareGradle(b, a)), 0);
      const sorted = [a, b, c].toSorted(compareGradle);
      t.true(compareGradle(sorted[0] ?? "", sorted[2] ?? "") <= 0);
    }),
  );
});

const meanings: ReadonlyArray<
  readonly [requirement: string, allowed: readonly string[], not: readonly string[]]
> = [
  ["1.3", ["1.3"], ["1.4", "1.3.0"]],
  ["1.3!!", ["1.3"], ["1.4"]],
  ["1.+", ["1.3", "1.0-rc"], ["2.0", "11.0"]],
  ["+", ["1", "9.9"], []],
  ["latest.release", ["9"], []],
  ["[1.3,)", ["1.3", "2"], ["1.2"]],
  ["[1.0, 2.0)", ["1.0", "1.9"], ["2.0", "2.0-rc-1", "0.9"]],
  ["]1.0, 2.0]", ["1.1", "2.0"], ["1.0"]],
  ["[1.0, 2.0[", ["1.0"], ["2.0"]],
  ["[1.5]", ["1.5"], ["1.6"]],
  ["(,2.0)", ["1"], ["2.0"]],
  ["[1.0,2.0[!!1.5", ["1.0", "1.5", "1.9"], ["2.0"]],
  ["[1.0", [], ["1.1"]],
];
for (const [requirement, allowed, not] of meanings)
  test(`${requirement} allows ${allowed.join(", ") || "nothing"}`, (t) => {
    for (const version of allowed) t.true(gradleSatisfies(version, requirement), version);
    for (const version of not) t.false(gradleSatisfies(version, requirement), version);
  });

const raises: ReadonlyArray<readonly [requirement: string, version: string, result: string]> = [
  ["1.3", "2.1", "2.1"],
  ["1.3!!", "2.1", "2.1!!"],
  ["1.+", "1.9", "1.+"],
  ["1.+", "2.1.5", "2.+"],
  ["1.2.+", "2.1.5", "2.1.+"],
  ["+", "2", "+"],
  ["latest.release", "2", "latest.release"],
  ["[1.0,2.0)", "3.1.4", "[1.0,4.0)"],
  ["]1.0, 2.5[", "3.1.4", "]1.0, 3.2["],
  ["[1,2]", "3.1", "[1,3.1]"],
  ["[1.7,1.8[!!1.7.25", "1.7.30", "[1.7,1.8[!!1.7.30"],
  ["[1.7,1.8[!!1.7.25", "1.8.2", "[1.7,1.9[!!1.8.2"],
];
for (const [requirement, version, result] of raises)
  test(`${requirement} becomes ${result} for ${version}`, (t) => {
    t.is(raisedGradle(requirement, version), result);
  });

test("the lowest version of a requirement", (t) => {
  t.deepEqual(
    ["1.2", "[1,2[!!1.5", "1.2!!", "[1.5,2)", "1.+", "+", "latest.release", "(,2)"].map(
      gradleFloor,
    ),
    ["1.2", "1.5", "1.2", "1.5", "1", undefined, undefined, undefined],
  );
});
