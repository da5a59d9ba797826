/** How ranges follow a new version. */
import test from "ava";
import fc from "fast-check";
import semver from "semver";
import type { Strategy } from "../contract.js";
import { npmRequirement } from "./versions.js";

const cases: ReadonlyArray<
  readonly [strategy: Strategy, before: string, to: string, after: string]
> = [
  ["bump_versions", "^1.2.3", "1.5.0", "^1.5.0"],
  ["bump_versions", "^1.2.3", "2.0.0", "^2.0.0"],
  ["bump_versions", "~1.2.3", "1.5.0", "~1.5.0"],
  ["bump_versions", "1.2.3", "1.5.0", "1.5.0"],
  ["bump_versions", "=1.2.3", "1.5.0", "=1.5.0"],
  ["bump_versions", "v1.2.3", "1.5.0", "v1.5.0"],
  ["bump_versions", "^1.2", "1.5.1", "^1.5"],
  ["bump_versions", "^1", "2.5.1", "^2"],
  ["bump_versions", "1.x", "2.5.1", "2.x"],
  ["bump_versions", "1.2.x", "2.5.1", "2.5.x"],
  ["bump_versions", ">=1.2.3", "2.0.0", ">=2.0.0"],
  ["bump_versions", ">=1.2.3 <2.0.0", "3.1.0", ">=1.2.3 <4.0.0"],
  ["bump_versions", ">=1.2.3 <2.0.0", "1.9.0", ">=1.2.3 <2.0.0"],
  ["bump_versions", "<1.5", "1.6.2", "<1.7"],
  ["bump_versions", "<=1.5.0", "1.6.2", "<=1.6.2"],
  ["bump_versions", "1.0.0 - 1.5.0", "2.1.0", "1.0.0 - 2.1.0"],
  ["bump_versions", "^1.0.0 || ^2.0.0", "3.1.0", "^3.1.0"],
  ["bump_versions", "^1.0.0 || ^2.0.0", "2.1.0", "^1.0.0 || ^2.0.0"],
  ["bump_versions", "1.0.0-beta.1", "1.0.0-beta.2", "1.0.0-beta.2"],
  ["bump_versions", "^1.0.0-beta.1", "1.0.0", "^1.0.0"],
  ["bump_versions", "^1", "2.0.0-rc.1", "^2.0.0-rc.1"],
  ["bump_versions", "*", "2.0.0", "*"],
  ["bump_versions", "", "2.0.0", ""],
  ["bump_versions", "latest", "2.0.0", "latest"],
  ["bump_versions", " ^1.0.0 ", "2.0.0", " ^2.0.0 "],
  ["bump_versions_if_necessary", "^1.2.3", "1.5.0", "^1.2.3"],
  ["bump_versions_if_necessary", "^1.2.3", "2.5.0", "^2.5.0"],
  ["widen_ranges", "^1.2.3", "1.5.0", "^1.2.3"],
  ["widen_ranges", "^1.2.3", "2.5.0", "^1.2.3 || ^2.5.0"],
  ["widen_ranges", "1.x", "2.5.0", "1.x || 2.x"],
  ["widen_ranges", "1.2.3", "2.5.0", "1.2.3 || ^2.5.0"],
  ["widen_ranges", "^1.0.0 || ^2.0.0", "3.1.0", "^1.0.0 || ^2.0.0 || ^3.1.0"],
  ["widen_ranges", ">=1.2.3 <2.0.0", "3.1.0", ">=1.2.3 <4.0.0"],
  ["lockfile_only", "^1.2.3", "2.0.0", "^1.2.3"],
];

for (const [strategy, before, to, after] of cases)
  test(`${strategy}: "${before}" for ${to} becomes "${after}"`, (t) => {
    t.is(npmRequirement(before, to, strategy), after);
  });

const version = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map((parts) => parts.join("."));
const range = fc
  .tuple(fc.constantFrom("^", "~", "", ">=", "<", "<=", "="), version)
  .map(([sign, text]) => sign + text);
const ranges = fc.oneof(
  range,
  fc.tuple(range, range).map((both) => both.join(" || ")),
  fc.tuple(version, version).map(([a, b]) => [a, b].sort(semver.compare).join(" - ")),
);

test("for any range, the new one allows the new version, and widening removes nothing", (t) => {
  fc.assert(
    fc.property(ranges, version, version, (before, to, other) => {
      for (const strategy of [
        "bump_versions",
        "bump_versions_if_necessary",
        "widen_ranges",
      ] as const)
        t.true(
          semver.satisfies(to, npmRequirement(before, to, strategy)),
          `${before} ${to} ${strategy}`,
        );
      if (semver.satisfies(other, before))
        t.true(semver.satisfies(other, npmRequirement(before, to, "widen_ranges")));
    }),
  );
});
