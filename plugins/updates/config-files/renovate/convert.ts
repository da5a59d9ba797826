/** Renovate's configuration as a block of the daemon and a file of the repository, with what has no equivalent. */
import { stringify } from "yaml";
import type { PackageManager } from "../../managers/index.js";
import { blockOf } from "./block.js";
import { entriesOf, type Report } from "./entries.js";
import { managerNamed } from "./names.js";
import { type Finding, type FlatOptions, flatten, textsIn } from "./options.js";
import { readRenovate } from "./read.js";

export interface RenovateConversion {
  /** A block `updates`. */
  readonly block: string;
  /** `.github/dependabot.yml`. */
  readonly repository: string;
  readonly findings: readonly {
    readonly option: string;
    readonly line: number;
    readonly why: string;
  }[];
}

interface ConversionRequest {
  /** For messages. `package.json` has the configuration under a key. */
  readonly file: string;
  readonly text: string;
  /** Those with a manifest in the repository. */
  readonly managers: readonly PackageManager[];
  readonly account: string;
}

/** @throws UpdatesError `manifest_unreadable` */
export function convertRenovate(request: ConversionRequest): RenovateConversion {
  const { value, lineOf } = readRenovate(request.file, request.text);
  const findings: Finding[] = [];
  const report: Report = (finding) => findings.push(finding);
  const flat = flatten(value, report);
  const managers = enabled(flat.options, request.managers, report);
  reportOptions(flat, report);
  const entries = entriesOf(flat, managers, report);
  const block = blockOf(flat, request.account, report);
  const seen = new Set<string>();
  return {
    block,
    repository: stringify(
      { version: 2, updates: entries },
      { lineWidth: 0, aliasDuplicateObjects: false },
    ),
    findings: findings
      .map(({ option, path, why }) => ({ option, line: lineOf(path), why }))
      .toSorted((a, b) => a.line - b.line)
      .filter(({ option, line, why }) => {
        const key = `${line} ${option} ${why}`;
        return !seen.has(key) && seen.add(key);
      }),
  };
}

function enabled(
  options: FlatOptions["options"],
  found: readonly PackageManager[],
  report: Report,
): readonly PackageManager[] {
  const option = options.get("enabledManagers");
  if (!option) return found;
  const wanted = textsIn(option.value).flatMap((name) => {
    const manager = managerNamed(name);
    if (!manager)
      report({
        option: "enabledManagers",
        path: option.path,
        why: `there is no package manager for \`${name}\``,
      });
    return manager ?? [];
  });
  const unique = [...new Set(wanted)];
  const both = unique.filter((each) => found.includes(each));
  return found.length === 0 ? unique : both;
}

/** Options that are converted elsewhere. */
const CONVERTED: ReadonlySet<string> = new Set([
  ...["addLabels", "automerge", "automergeSchedule", "automergeStrategy", "baseBranches"],
  ...["baseBranchPatterns", "branchConcurrentLimit", "commitMessagePrefix", "customManagers"],
  ...["enabled", "enabledManagers", "gitAuthor", "groupName", "hostRules", "ignoreDeps"],
  ...["ignoreTests", "includePaths", "labels", "minimumReleaseAge", "npmrc", "prConcurrentLimit"],
  ...["rangeStrategy", "rebaseWhen", "regexManagers", "registryUrls", "schedule"],
  ...["semanticCommits", "semanticCommitScope", "semanticCommitType", "separateMajorMinor"],
  ...["separateMinorPatch", "stabilityDays", "timezone"],
]);

/** Options that mean nothing here, or what Reeve does anyway. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["$schema", "configMigration", "description", "groupSlug", "platformAutomerge", "platform"],
  ...["repositories", "onboarding", "requireConfig", "autodiscover", "username", "token"],
]);

/** Values that say what Reeve does anyway. */
const SAME: Readonly<Record<string, readonly unknown[]>> = {
  ...{ automergeType: ["pr"], constraintsFiltering: ["strict"], dependencyDashboard: [false] },
  ...{ dependencyDashboardApproval: [false], ignoreUnstable: [true], prCreation: ["immediate"] },
  ...{
    prHourlyLimit: [0],
    recreateWhen: ["auto"],
    pinDigests: [false],
    branchPrefix: ["dependabot/"],
  },
  ...{ separateMultipleMajor: [false], updateNotScheduled: [true], forkProcessing: ["disabled"] },
};

const REASONS: Readonly<Record<string, string>> = {
  allowedVersions: "it needs a package rule with names",
  assignees: "pull requests get no assignees",
  automergeType: "updates are merged as pull requests",
  branchPrefix: "branches start with `dependabot/`",
  commitBody: "the text of commits is fixed",
  constraints: "versions that the project's runtime cannot use are not offered anyway",
  constraintsFiltering: "versions that the project's runtime cannot use are not offered anyway",
  dependencyDashboard: "`reeve top` and the API list what is open and what waits",
  dependencyDashboardApproval:
    "updates do not wait for an approval; ignore them or limit their number",
  ignorePaths: "all manifests of a directory count",
  ignoreUnstable: "prereleases are offered only to users of one",
  lockFileMaintenance: "lock files change with updates only",
  osvVulnerabilityAlerts: "set `advisories` to a folder of OSV records",
  pinDigests: "digests that are there move; none are added",
  postUpdateOptions: "lock files are refreshed with each update",
  postUpgradeTasks: "no command changes an update; `check` runs one before a merge",
  prCreation: "pull requests open with their branches",
  prHourlyLimit: "only the number of open pull requests is limited",
  recreateWhen: "a closed version is not offered again until a newer one is out",
  reviewers: "use a CODEOWNERS file",
  separateMultipleMajor: "the newest version is offered",
  vulnerabilityAlerts: "set `advisories` to a folder of OSV records",
};

function reportOptions({ options }: FlatOptions, report: Report): void {
  for (const [option, { value, path }] of options) {
    if (CONVERTED.has(option) || HARMLESS.has(option) || value === null) continue;
    if (Object.hasOwn(SAME, option) && SAME[option]?.includes(value)) continue;
    const isOff = typeof value === "object" && (value as { enabled?: unknown }).enabled === false;
    if (isOff || (Array.isArray(value) && value.length === 0)) continue;
    const why = Object.hasOwn(REASONS, option) ? REASONS[option] : undefined;
    report({ option, path, why: why ?? "there is no equivalent" });
  }
}
