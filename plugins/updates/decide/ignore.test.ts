/** Which rule keeps a version from being offered. */
import test from "ava";
import { semverVersioning } from "../versions/semver.js";
import { ignoredBy, matchesPattern } from "./ignore.js";

const patterns: ReadonlyArray<readonly [pattern: string, name: string, matching: boolean]> = [
  ["foo", "foo", true],
  ["foo", "foobar", false],
  ["*", "@scope/any", true],
  ["@scope/*", "@scope/any", true],
  ["@scope/*", "@other/any", false],
  ["*-plugin", "eslint-plugin", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*bc", "abcb", false],
  ["aa*aa", "aaa", false],
  ["FOO", "foo", true],
  ["f.o", "foo", false],
];
for (const [pattern, name, matching] of patterns)
  test(`the pattern ${pattern} ${matching ? "means" : "does not mean"} ${name}`, (t) => {
    t.is(matchesPattern(pattern, name), matching);
  });

test("a rule with versions and changes forbids either; of fixes only the versions", (t) => {
  const rule = { dependency: "foo", versions: ["3.x"], changes: ["major" as const] };
  const step = { name: "foo", change: "major" as const, security: false };
  t.truthy(ignoredBy([rule], { ...step, to: "2.0.0" }, semverVersioning));
  t.falsy(ignoredBy([rule], { ...step, to: "2.0.0", security: true }, semverVersioning));
  t.truthy(ignoredBy([rule], { ...step, to: "3.1.0", security: true }, semverVersioning));
});
