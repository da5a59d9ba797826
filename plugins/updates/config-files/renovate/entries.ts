/** The entries of `.github/dependabot.yml`, one for each package manager and branch. */
import type { PackageManager } from "../../managers/index.js";
import {
  type Finding,
  type FlatOptions,
  type OptionPath,
  type PackageRule,
  textsIn,
} from "./options.js";
import { isObject, textIn } from "./read.js";
import { forbiddenBy, isMatcher, matchOf, type PackageMatch } from "./rules.js";
import { daysOf, scheduleOf } from "./schedule.js";

type Entry = Record<string, unknown>;
export type Report = (finding: Finding) => void;

const STRATEGIES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ bump: "increase", pin: "increase", widen: "widen" }),
  ...Object.entries({ replace: "increase-if-necessary", "in-range-only": "lockfile-only" }),
  ["update-lockfile", "increase-if-necessary"],
]);

export function entriesOf(
  { options, rules }: FlatOptions,
  managers: readonly PackageManager[],
  report: Report,
): readonly Entry[] {
  const branches = targets(options, report);
  const shared = sharedEntry(options, report);
  const matched = rules.flatMap((rule) => {
    const match = matchOf(rule, report);
    if (match) reportActions(rule, match, report);
    return match ? [{ ...rule, match }] : [];
  });
  const isEnabled = options.get("enabled")?.value !== false;
  const entries = managers.flatMap((manager) => {
    const own = matched.filter(({ match }) => match.managers?.has(manager) ?? true);
    const entry = isEnabled ? entryOf(manager, shared, own, options) : undefined;
    return entry ? [entry] : [];
  });
  return branches.flatMap((branch) =>
    entries.map((entry) => (branch === undefined ? entry : { ...entry, "target-branch": branch })),
  );
}

type Options = FlatOptions["options"];

function targets(options: Options, report: Report): readonly (string | undefined)[] {
  const { value, path = [] } = options.get("baseBranchPatterns") ??
    options.get("baseBranches") ?? { value: undefined };
  const names = textsIn(value).filter((name) => {
    if (!/^\/|[*$^]/.test(name)) return true;
    report({ option: "baseBranchPatterns", path, why: `\`${name}\` is no name of a branch` });
    return false;
  });
  return names.length === 0 ? [undefined] : [...new Set(names)];
}

function sharedEntry(options: Options, report: Report): Entry {
  const entry: Entry = {};
  const of = (name: string): unknown => options.get(name)?.value;
  const pathOf = (name: string): OptionPath => options.get(name)?.path ?? [];
  entry.schedule = schedule(options, report);
  const paths = textsIn(of("includePaths")).flatMap((each) => {
    const directory = /^([\w@./-]+?)(?:\/\*\*?)?$/.exec(each)?.[1];
    if (directory === undefined)
      report({
        option: "includePaths",
        path: pathOf("includePaths"),
        why: `\`${each}\` is no directory`,
      });
    return directory === undefined ? [] : [`/${directory}`];
  });
  if (paths.length > 0) entry.directories = [...new Set(paths)];
  const labels = [...textsIn(of("labels")), ...textsIn(of("addLabels"))];
  if (options.has("labels") || labels.length > 0) entry.labels = [...new Set(labels)];
  const limit = of("prConcurrentLimit") ?? of("branchConcurrentLimit");
  if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0)
    entry["open-pull-requests-limit"] = limit === 0 ? 1000 : Math.min(limit, 1000);
  const strategy = STRATEGIES.get(textIn(of("rangeStrategy")));
  if (strategy !== undefined) entry["versioning-strategy"] = strategy;
  if (of("rangeStrategy") === "pin")
    report({ option: "rangeStrategy", path: pathOf("rangeStrategy"), why: "ranges stay ranges" });
  if (of("rebaseWhen") === "never") entry["rebase-strategy"] = "disabled";
  if (of("rebaseWhen") === "conflicted")
    report({
      option: "rebaseWhen",
      path: pathOf("rebaseWhen"),
      why: "pull requests are rebased when the base moves",
    });
  const age = of("minimumReleaseAge") ?? of("stabilityDays");
  const days = daysOf(textIn(age));
  if (days !== undefined) entry.cooldown = { "default-days": days };
  else if (typeof age === "string")
    report({
      option: "minimumReleaseAge",
      path: pathOf("minimumReleaseAge"),
      why: `\`${age}\` is no number of days`,
    });
  const message = commitMessage(options);
  if (message) entry["commit-message"] = message;
  const ignored = textsIn(of("ignoreDeps")).map((name) => ({ "dependency-name": name }));
  if (ignored.length > 0) entry.ignore = ignored;
  return entry;
}

function schedule(options: Options, report: Report): Entry {
  const written = textsIn(options.get("schedule")?.value);
  const path = options.get("schedule")?.path ?? [];
  const [first = "at any time", ...others] = written;
  const found = scheduleOf(first);
  if (!found)
    report({ option: "schedule", path, why: `\`${first}\` is not understood, so runs are daily` });
  if (others.length > 0)
    report({
      option: "schedule",
      path,
      why: `only the first schedule is used, not \`${others.join("`, `")}\``,
    });
  const zone = options.get("timezone")?.value;
  const isZone = typeof zone === "string" && Intl.supportedValuesOf("timeZone").includes(zone);
  if (typeof zone === "string" && !isZone && zone !== "UTC")
    report({
      option: "timezone",
      path: options.get("timezone")?.path ?? [],
      why: `there is no time zone \`${zone}\``,
    });
  return { ...(found ?? { interval: "daily" }), ...(isZone ? { timezone: zone } : {}) };
}

function commitMessage(options: Options): Entry | undefined {
  const text = (name: string): string | undefined => {
    const value = options.get(name)?.value;
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const own = text("commitMessagePrefix");
  if (own !== undefined) return { prefix: own };
  if (options.get("semanticCommits")?.value !== "enabled") return undefined;
  const type = text("semanticCommitType") ?? "chore";
  const hasScope = !options.has("semanticCommitScope") || text("semanticCommitScope") !== undefined;
  return { prefix: type, ...(hasScope ? { include: "scope" } : {}) };
}

type Matched = PackageRule & { readonly match: PackageMatch };

/** Undefined for a manager that the rules disable. */
function entryOf(
  manager: PackageManager,
  shared: Entry,
  rules: readonly Matched[],
  options: Options,
): Entry | undefined {
  const ignore = [...((shared.ignore as Entry[] | undefined) ?? [])];
  const groups: Record<string, Entry> = {};
  const automerge: Entry[] =
    options.get("automerge")?.value === true ? [{ "update-type": "all" }] : [];
  const cooldown = { ...((shared.cooldown as Entry | undefined) ?? {}) };
  const own: Entry = {};
  for (const { rule, match } of rules) {
    const isAll = match.names === undefined && match.excluded.length === 0;
    const isWhole = isAll && match.type === undefined && match.changes === undefined;
    if (rule.enabled === false && isWhole) return undefined;
    if (rule.enabled === false && match.type === undefined && match.excluded.length === 0)
      ignore.push(...ignored(match));
    const forbidden = forbiddenBy(textIn(rule.allowedVersions));
    if (forbidden !== undefined && match.excluded.length === 0)
      for (const name of match.names ?? ["*"])
        ignore.push({ "dependency-name": name, versions: [forbidden] });
    if (typeof rule.groupName === "string" && rule.groupName !== "")
      Object.assign(groups, groupsOf(rule.groupName, match, splits(rule, options)));
    if (typeof rule.automerge === "boolean") automerge.unshift(...merges(match, rule.automerge));
    const days = daysOf(textIn(rule.minimumReleaseAge));
    if (days !== undefined && isAll && match.type === undefined)
      for (const key of match.changes?.map((each) => `semver-${each}-days`) ?? ["default-days"])
        cooldown[key] = days;
    const found = isWhole ? scheduleOf(textsIn(rule.schedule)[0] ?? "-") : undefined;
    if (found) own.schedule = { ...found, ...zoneOf(shared) };
    const strategy = isWhole ? STRATEGIES.get(textIn(rule.rangeStrategy)) : undefined;
    if (strategy !== undefined) own["versioning-strategy"] = strategy;
  }
  const all = options.get("groupName")?.value;
  const anything = {
    managers: undefined,
    names: undefined,
    excluded: [],
    type: undefined,
    changes: undefined,
  };
  if (typeof all === "string" && all !== "")
    Object.assign(groups, groupsOf(all, anything, splits({}, options)));
  const { directories, ...rest } = shared;
  return {
    "package-ecosystem": manager,
    ...(directories === undefined ? { directory: "/" } : { directories }),
    ...rest,
    ...own,
    ...(Object.keys(cooldown).length > 0 ? { cooldown } : {}),
    ...(ignore.length > 0 ? { ignore } : {}),
    ...(Object.keys(groups).length > 0 ? { groups } : {}),
    ...(automerge.length > 0 ? { automerge } : {}),
  };
}

const zoneOf = ({ schedule: value }: Entry): Entry =>
  isObject(value) && "timezone" in value ? { timezone: value.timezone } : {};

const ignored = ({ names = ["*"], changes }: PackageMatch): readonly Entry[] =>
  names.map((name) => ({
    "dependency-name": name,
    ...(changes && { "update-types": changes.map((each) => `version-update:semver-${each}`) }),
  }));

/** The kinds of changes that are apart: by default major ones. */
function splits(rule: PackageRule["rule"], options: Options): readonly (readonly string[])[] {
  const of = (name: string): unknown => rule[name] ?? options.get(name)?.value;
  if (of("separateMajorMinor") === false) return [["major", "minor", "patch"]];
  return of("separateMinorPatch") === true
    ? [["minor"], ["patch"], ["major"]]
    : [["minor", "patch"], ["major"]];
}

function groupsOf(
  name: string,
  match: PackageMatch,
  parts: readonly (readonly string[])[],
): Readonly<Record<string, Entry>> {
  const slug = name.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "group";
  const kinds = parts
    .map((part) => part.filter((each) => match.changes?.includes(each as never) ?? true))
    .filter((part) => part.length > 0);
  return Object.fromEntries(
    kinds.map((part, index) => [
      index === 0 ? slug : `${part[0]}-${slug}`,
      {
        ...(match.names ? { patterns: match.names } : { patterns: ["*"] }),
        ...(match.excluded.length > 0 ? { "exclude-patterns": match.excluded } : {}),
        ...(match.type ? { "dependency-type": match.type } : {}),
        ...(part.length < 3 ? { "update-types": part } : {}),
      },
    ]),
  );
}

/** The largest kind of change that merges. */
function merges(
  { names, type, changes, excluded }: PackageMatch,
  merged: boolean,
): readonly Entry[] {
  if (excluded.length > 0) return [];
  const rule = !merged ? "never" : !changes || changes.includes("major") ? "all" : undefined;
  const kind = rule ?? (changes?.includes("minor") ? "semver:minor" : "semver:patch");
  // A rule about some kinds of changes alone says nothing about the others.
  if (!merged && changes) return [];
  return (names ?? [undefined]).map((name) => ({
    ...(name === undefined ? {} : { "dependency-name": name }),
    ...(type ? { "dependency-type": type } : {}),
    "update-type": kind,
  }));
}

const ACTIONS = ["allowedVersions", "automerge", "enabled", "groupName", "minimumReleaseAge"];
const QUIET = [
  "description",
  "groupSlug",
  "separateMajorMinor",
  "separateMinorPatch",
  "registryUrls",
];

function reportActions({ rule, path }: PackageRule, match: PackageMatch, report: Report): void {
  const isAll = match.names === undefined && match.excluded.length === 0;
  const isWhole = isAll && match.type === undefined && match.changes === undefined;
  for (const [option, value] of Object.entries(rule)) {
    if (isMatcher(option) || QUIET.includes(option) || value === null) continue;
    const say = (why: string): void => report({ option, path: [...path, option], why });
    if (["schedule", "rangeStrategy"].includes(option)) {
      if (!isWhole) say("only whole package managers can have it");
    } else if (!ACTIONS.includes(option)) say("rules cannot set it");
    else if (option === "enabled" && value === false && (match.type || match.excluded.length > 0))
      say("dependencies are ignored by name only");
    else if (option === "allowedVersions" && forbiddenBy(textIn(value)) === undefined)
      say("only an upper bound such as `<3` can be converted");
    else if (option === "minimumReleaseAge" && (!isAll || match.type))
      say("only kinds of changes can have their own");
    else if (option === "automerge" && match.excluded.length > 0)
      say("names cannot be excluded from it");
    else if (option === "automerge" && value === false && match.changes)
      say("name the kinds that merge instead");
  }
}
