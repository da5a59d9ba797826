/** Which updates merge by themselves. */
import test from "ava";
import { managerOf, type PackageManager } from "../../managers/index.js";
import { isWithinHours } from "../../timetable/working-hours.js";
import { type MergeRule, type MergeRules, type RuleInput, verdictOf } from "./merge-rules.js";

const npm = await managerOf("npm_and_yarn");
const ruled = (more: Partial<RuleInput>): RuleInput => ({
  name: "left-foo",
  kind: "runtime",
  update_type: "patch",
  in_range: 0,
  security: 0,
  to_version: "2.0.1",
  ...more,
});
const rules = (
  runtime: MergeRule,
  development: MergeRule = "never",
  extras: MergeRules["extras"] = {},
): MergeRules => ({
  versioning: npm.versioning,
  runtime,
  development,
  extras,
});

type Row = readonly [
  title: string,
  rules: MergeRules,
  updates: readonly Partial<RuleInput>[],
  matches: boolean,
];

const rows: readonly Row[] = [
  ["never", rules("never"), [{}], false],
  ["all takes what has no version", rules("all"), [{ update_type: "other" }], true],
  ["a patch", rules("semver:patch"), [{}], true],
  ["a minor is no patch", rules("semver:patch"), [{ update_type: "minor" }], false],
  ["minor takes patches along", rules("semver:minor"), [{}], true],
  ["minor", rules("semver:minor"), [{ update_type: "minor" }], true],
  ["minor does not take major", rules("semver:minor"), [{ update_type: "major" }], false],
  [
    "no semver rule accepts a version unlike semver",
    rules("semver:minor"),
    [{ update_type: "other" }],
    false,
  ],
  ["a patch that fixes nothing", rules("security:patch"), [{}], false],
  ["a patch that fixes a hole", rules("security:patch"), [{ security: 1 }], true],
  ["a minor security fix", rules("security:patch"), [{ security: 1, update_type: "minor" }], false],
  ["in range", rules("in_range"), [{ in_range: 1, update_type: "minor" }], true],
  ["out of range", rules("in_range"), [{ update_type: "patch" }], false],
  ["a prerelease", rules("semver:minor"), [{ to_version: "2.1.0-rc.1" }], false],
  ["a prerelease under all", rules("all"), [{ to_version: "2.1.0-rc.1" }], true],
  ["development has its own rule", rules("never", "all"), [{ kind: "development" }], true],
  ["what is both is runtime", rules("never", "all"), [{ kind: "both" }], false],
  ["all of several", rules("semver:patch"), [{}, { update_type: "major" }], false],
  ["nothing at all", rules("all"), [], false],
  ["on the list", rules("all", "never", { automergeWhitelist: ["left-*"] }), [{}], true],
  ["not on the list", rules("all", "never", { automergeWhitelist: ["right-*"] }), [{}], false],
  [
    "a file's own rule for one dependency",
    rules("never", "never", { automerged: [{ dependency: "left-foo", type: "all", rule: "all" }] }),
    [{ update_type: "major" }],
    true,
  ],
];

for (const [title, given, updates, matches] of rows) {
  test(title, (t) => {
    const verdict = verdictOf(updates.map(ruled), given);
    t.is(verdict.matches, matches, verdict.why);
    t.regex(verdict.why, /\.$/);
  });
}

const early: ReadonlyArray<readonly [manager: PackageManager, version: string, early: boolean]> = [
  ["bundler", "2.0.1.rc1", true],
  ["pip", "2.0.1rc1", true],
  ["maven", "2.0.1.RC1", true],
  ["maven", "2.0.1-jre", false],
  ["docker", "2.0.1-slim", false],
  ["docker", "2.0.1-rc1", true],
  ["submodules", "4a7e7e5ab8b370d6c329ec480221332ada57f0ab", false],
];
for (const [manager, version, isEarly] of early)
  test(`${version} of ${manager} is ${isEarly ? "a prerelease, which waits" : "no prerelease"}`, async (t) => {
    const { versioning } = await managerOf(manager);
    const given = { ...rules("in_range"), versioning };
    const verdict = verdictOf([ruled({ to_version: version, in_range: 1 })], given);
    t.is(verdict.matches, !isEarly);
  });

test("working hours follow their zone, and their end is exclusive", (t) => {
  const hours = ["monday 09:00-17:00"];
  const at = (text: string, zone = "UTC"): boolean => isWithinHours(hours, Date.parse(text), zone);
  t.true(at("2026-11-23T09:00:00Z"));
  t.false(at("2026-11-23T17:00:00Z"));
  t.false(at("2026-11-22T10:00:00Z"));
  t.true(at("2026-11-23T00:30:00Z", "Asia/Tokyo"));
  t.false(at("2026-11-23T09:30:00Z", "Asia/Tokyo"));
  t.true(isWithinHours([], 0, "UTC"));
});
