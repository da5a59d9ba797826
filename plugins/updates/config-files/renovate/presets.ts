/** Presets of Renovate that are plain data, by name. Others are reported. */
import type { RenovateObject } from "./read.js";

const NON_MAJOR = ["minor", "patch"];
const monthly = "before 4am on the first day of the month";
const rule = (matches: RenovateObject, actions: RenovateObject): RenovateObject => ({
  packageRules: [{ ...matches, ...actions }],
});
const npmRelease = rule({ matchDatasources: ["npm"] }, { minimumReleaseAge: "3 days" });

const presets: Readonly<Record<string, RenovateObject>> = {
  "config:recommended": {
    extends: [
      ...[":dependencyDashboard", ":semanticPrefixFixDepsChoreOthers", ":ignoreModulesAndTests"],
      ...["group:monorepos", "group:recommended", "replacements:all", "workarounds:all"],
    ],
  },
  "config:base": { extends: ["config:recommended"] },
  "config:best-practices": {
    extends: [
      ...["config:recommended", "docker:pinDigests", "helpers:pinGitHubActionDigests"],
      ...[":configMigration", ":pinDevDependencies", "security:minimumReleaseAgeNpm"],
    ],
  },
  "config:js-app": { extends: ["config:recommended", ":pinAllExceptPeerDependencies"] },
  "config:js-lib": { extends: ["config:recommended", ":pinOnlyDevDependencies"] },
  "config:semverAllMonthly": {
    extends: [":preserveSemverRanges", "group:all", "schedule:monthly"],
  },
  "config:semverAllWeekly": { extends: [":preserveSemverRanges", "group:all", "schedule:weekly"] },
  "docker:disable": rule({ matchDatasources: ["docker"] }, { enabled: false }),
  "docker:disableMajor": rule(
    { matchDatasources: ["docker"], matchUpdateTypes: ["major"] },
    { enabled: false },
  ),
  "docker:enableMajor": {},
  "docker:pinDigests": rule({ matchDatasources: ["docker"] }, { pinDigests: true }),
  "helpers:disableTypesNodeMajor": rule(
    { matchPackageNames: ["@types/node"], matchUpdateTypes: ["major"] },
    { enabled: false },
  ),
  "helpers:pinGitHubActionDigests": rule(
    { matchManagers: ["github-actions"] },
    { pinDigests: true },
  ),
  "helpers:pinGitHubActionDigestsToSemver": {
    extends: ["helpers:pinGitHubActionDigests"],
  },
  "group:all": { groupName: "all dependencies", separateMajorMinor: false },
  "group:allNonMajor": rule(
    { matchPackageNames: ["*"], matchUpdateTypes: NON_MAJOR },
    { groupName: "all non-major dependencies" },
  ),
  "group:definitelyTyped": rule(
    { matchPackageNames: ["@types/**"] },
    { groupName: "definitelyTyped" },
  ),
  "npm:unpublishSafe": npmRelease,
  "security:minimumReleaseAgeNpm": npmRelease,
  "schedule:daily": { schedule: ["before 4am"] },
  "schedule:earlyMondays": { schedule: ["before 4am on monday"] },
  "schedule:monthly": { schedule: [monthly] },
  "schedule:nonOfficeHours": { schedule: ["after 10pm every weekday", "before 5am every weekday"] },
  "schedule:quarterly": { schedule: ["* 0-3 1 */3 *"] },
  "schedule:weekdays": { schedule: ["every weekday"] },
  "schedule:weekends": { schedule: ["every weekend"] },
  "schedule:weekly": { schedule: ["before 4am on monday"] },
  "schedule:yearly": { schedule: ["* 0-3 1 1 *"] },
  ":automergeAll": { automerge: true },
  ":automergeBranch": { automergeType: "branch" },
  ":automergeDigest": { digest: { automerge: true } },
  ":automergeDisabled": { automerge: false },
  ":automergeMajor": { automerge: true },
  ":automergeMinor": { minor: { automerge: true }, patch: { automerge: true } },
  ":automergePatch": { patch: { automerge: true } },
  ":automergePr": { automergeType: "pr" },
  ":automergeStableNonMajor": { minor: { automerge: true }, patch: { automerge: true } },
  ":automergeRequireAllStatusChecks": { ignoreTests: false },
  ":combinePatchMinorReleases": { separateMinorPatch: false },
  ":configMigration": { configMigration: true },
  ":dependencyDashboard": { dependencyDashboard: true },
  ":dependencyDashboardApproval": { dependencyDashboardApproval: true },
  ":disableDependencyDashboard": { dependencyDashboard: false },
  ":disableMajorUpdates": { major: { enabled: false } },
  ":disablePrControls": {},
  ":disableRateLimiting": { prHourlyLimit: 0, prConcurrentLimit: 0 },
  ":disableVulnerabilityAlerts": { vulnerabilityAlerts: { enabled: false } },
  ":enablePreCommit": { "pre-commit": { enabled: true } },
  ":enableVulnerabilityAlerts": { vulnerabilityAlerts: { enabled: true } },
  ":gitSignOff": { commitBody: "Signed-off-by" },
  ":ignoreModulesAndTests": {},
  ":ignoreUnstable": { ignoreUnstable: true },
  ":maintainLockFilesMonthly": { lockFileMaintenance: { enabled: true } },
  ":maintainLockFilesWeekly": { lockFileMaintenance: { enabled: true } },
  ":onlyNpm": { enabledManagers: ["npm"] },
  ":pinAllExceptPeerDependencies": { rangeStrategy: "pin" },
  ":pinDevDependencies": rule({ matchDepTypes: ["devDependencies"] }, { rangeStrategy: "pin" }),
  ":pinOnlyDevDependencies": { extends: [":pinDevDependencies"] },
  ":pinVersions": { rangeStrategy: "pin" },
  ":prConcurrentLimit10": { prConcurrentLimit: 10 },
  ":prConcurrentLimit20": { prConcurrentLimit: 20 },
  ":prConcurrentLimitNone": { prConcurrentLimit: 0 },
  ":prHourlyLimit2": { prHourlyLimit: 2 },
  ":prHourlyLimit4": { prHourlyLimit: 4 },
  ":prHourlyLimitNone": { prHourlyLimit: 0 },
  ":preserveSemverRanges": { rangeStrategy: "replace" },
  ":rebaseStalePrs": { rebaseWhen: "behind-base-branch" },
  ":semanticCommits": { semanticCommits: "enabled" },
  ":semanticCommitsDisabled": { semanticCommits: "disabled" },
  ":semanticCommitScopeDisabled": { semanticCommitScope: null },
  ":semanticPrefixChore": { semanticCommitType: "chore" },
  ":semanticPrefixFix": { semanticCommitType: "fix" },
  ":semanticPrefixFixDepsChoreOthers": {},
  ":separateMajorReleases": { separateMajorMinor: true },
  ":separateMultipleMajorReleases": { separateMultipleMajor: true },
  ":separatePatchReleases": { separateMinorPatch: true },
  ":skipStatusChecks": { ignoreTests: true },
  ":unpublishSafe": npmRelease,
  ":updateNotScheduled": {},
  ":widenPeerDependencies": { rangeStrategy: "widen" },
};

/** With arguments: `:labels(a,b)`. */
const withArguments: Readonly<Record<string, (given: readonly string[]) => RenovateObject>> = {
  ":assignee": (assignees) => ({ assignees }),
  ":assignAndReview": (people) => ({ assignees: people, reviewers: people }),
  ":automergeTypes": () => ({}),
  ":label": (labels) => ({ labels }),
  ":labels": (labels) => ({ labels }),
  ":reviewer": (reviewers) => ({ reviewers }),
  ":semanticCommitScope": ([semanticCommitScope]) => ({ semanticCommitScope }),
  ":semanticCommitType": ([semanticCommitType]) => ({ semanticCommitType }),
  ":semanticCommitTypeAll": ([semanticCommitType]) => ({ semanticCommitType }),
  ":timezone": ([timezone]) => ({ timezone }),
};

/** Undefined for a preset that is not known here. */
export function presetOf(written: string): RenovateObject | undefined {
  const [, name = "", given] = /^([^()]*)(?:\((.*)\))?$/s.exec(written.trim()) ?? [];
  // `default:` is the name of presets that start with a colon.
  const key = name.replace(/^default:/, ":");
  if (given !== undefined)
    return Object.hasOwn(withArguments, key)
      ? withArguments[key]?.(given.split(",").map((each) => each.trim()))
      : undefined;
  return Object.hasOwn(presets, key) ? presets[key] : undefined;
}

/** Of every preset, for the tests. */
export const presetNames: readonly string[] = Object.keys(presets);
