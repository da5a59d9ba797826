/** The order of NuGet's versions and what its requirements mean, by the examples of its documentation. See also compared.tool.test.ts. */
import test from "ava";
import fc from "fast-check";
import { compareNuget, normalizedNuget, nugetVersioning, raisedNuget } from "./versions.js";

/** Each is older than the next. */
const orders: readonly (readonly string[])[] = [
  [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
  ],
  [
    "1.0.1-alpha10",
    "1.0.1-alpha2",
    "1.0.1-beta",
    "1.0.1-open",
    "1.0.1-rc.2",
    "1.0.1-rc.10",
    "1.0.1-zzz",
    "1.0.1",
  ],
  ["1.0.0.0", "1.0.0.1", "1.0.1", "1.1", "1.10", "2"],
];
for (const order of orders)
  test(order.join(" < "), (t) => {
    for (const [index, version] of order.entries())
      for (const later of order.slice(index + 1)) {
        t.true(compareNuget(version, later) < 0, `${version} < ${later}`);
        t.true(compareNuget(later, version) > 0, `${later} > ${version}`);
      }
  });

for (const same of [
  ["1", "1.0", "1.0.0", "1.0.0.0", "1.0.0+build"],
  ["1.0.0-RC", "1.0.0-rc"],
])
  test(`${same.join(", ")} are the same`, (t) => {
    for (const each of same) t.is(compareNuget(same[0] ?? "", each), 0, each);
  });

test("the order is antisymmetric and transitive", (t) => {
  const version = fc
    .tuple(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
      fc.array(fc.constantFrom("a", "1", "B", "10"), { maxLength: 3 }),
    )
    .map(
      ([numbers, labels]) => numbers.join(".") + (labels.length > 0 ? `-${labels.join(".")}` : ""),
    );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      t.is(Math.sign(compareNuget(a, b)) + Math.sign(compareNuget(b, a)), 0);
      const sorted = [a, b, c].toSorted(compareNuget);
      t.true(compareNuget(sorted[0] ?? "", sorted[2] ?? "") <= 0);
    }),
  );
});

test("equal versions have one normal form", (t) => {
  t.deepEqual(["1", "1.0", "1.0.0.0", "1.2.3.4", "01.1", "1.0-Beta+x"].map(normalizedNuget), [
    "1.0.0",
    "1.0.0",
    "1.0.0",
    "1.2.3.4",
    "1.1.0",
    "1.0.0-Beta",
  ]);
});

const meanings: ReadonlyArray<
  readonly [requirement: string, allowed: readonly string[], not: readonly string[]]
> = [
  ["1.0", ["1.0.0"], ["1.1", "0.9"]],
  ["[1.0]", ["1.0.0"], ["1.1"]],
  ["(1.0,)", ["1.1"], ["1.0"]],
  ["(,1.0]", ["1.0", "0.1"], ["1.1"]],
  ["[1.0,2.0)", ["1.0", "1.9.9"], ["2.0"]],
  ["(1.0)", [], ["1.0"]],
  ["1.*", ["1.0", "1.9"], ["2.0", "1.1-beta", "10.0"]],
  ["1.1.*", ["1.1.9"], ["1.2", "1.10.0"]],
  ["*", ["1.0", "9"], ["1.0-beta"]],
  ["1.*-*", ["1.1-beta", "1.2"], ["2.0-beta"]],
];
for (const [requirement, allowed, not] of meanings)
  test(`${requirement} allows ${allowed.join(", ") || "nothing"}`, (t) => {
    for (const version of allowed) t.true(nugetVersioning.satisfies(version, requirement), version);
    for (const version of not) t.false(nugetVersioning.satisfies(version, requirement), version);
  });

const raises: ReadonlyArray<readonly [requirement: string, version: string, result: string]> = [
  ["1.0", "2.1.0", "2.1.0"],
  ["[1.0]", "2.1.0", "[2.1.0]"],
  ["[1.0, 2.0)", "3.1.4", "[3.1.4, 4.0)"],
  ["[1.0,)", "3.1.4", "[3.1.4,)"],
  ["[ 1.0, 5.0 ]", "3.1.4", "[ 3.1.4, 5.0 ]"],
  ["(1.0, 2.0)", "3.1.4", "(1.0, 4.0)"],
  ["(, 2.0)", "3.1.4", "(, 4.0)"],
  ["1.*", "1.9.0", "1.*"],
  ["1.*", "2.1.0", "2.*"],
  ["1.1.*", "2.1.0", "2.1.*"],
  ["1.*-*", "2.1.0-beta", "2.*-*"],
  ["*", "2.1.0", "*"],
  ["1.0.0-beta*", "2.1.0", "2.1.0-beta*"],
  ["1.0.0-beta*", "2.1.0-rc.1", "1.0.0-beta*"],
  ["[1.*, 2.0)", "2.1.0", "[1.*, 2.0)"],
  ["1.2.3.4.5", "2.1.0", "1.2.3.4.5"],
];
for (const [requirement, version, result] of raises)
  test(`${requirement} becomes ${result} for ${version}`, (t) => {
    t.is(raisedNuget(requirement, version), result);
  });

test("an interval that is only to be widened begins where it did", (t) => {
  t.is(raisedNuget("[1.0, 2.0)", "3.1.4", false), "[1.0, 4.0)");
});

test("the lowest version of a requirement", (t) => {
  t.deepEqual(["1.2", "[1.5,2)", "(,1]", "1.2.*", "*"].map(nugetVersioning.floor), [
    "1.2",
    "1.5",
    undefined,
    "1.2.0",
    undefined,
  ]);
});
