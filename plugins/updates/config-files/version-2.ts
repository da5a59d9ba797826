/** The extras of a version 2 entry. */
import type { ConfigExtras } from "../store/configs.js";
import {
  mappingIn,
  mappingsIn,
  numberIn,
  stringIn,
  stringsIn,
  type YamlMapping,
} from "./values.js";

const strategies: Readonly<Record<string, string>> = {
  "lockfile-only": "lockfile_only",
  widen: "widen_ranges",
  increase: "bump_versions",
  "increase-if-necessary": "bump_versions_if_necessary",
};

type Change = "major" | "minor" | "patch";
type Group = NonNullable<ConfigExtras["groups"]>[number];
type Allow = NonNullable<ConfigExtras["allow"]>[number];

export function extrasOfVersion2(entry: YamlMapping): ConfigExtras {
  const schedule = mappingIn(entry.schedule);
  const message = mappingIn(entry["commit-message"]);
  const strategy = strategies[stringIn(entry["versioning-strategy"]) ?? ""];
  const limit = numberIn(entry["open-pull-requests-limit"]);
  const cooldown = mappingIn(entry.cooldown) ?? {};
  const separator = stringIn(mappingIn(entry["pull-request-branch-name"])?.separator);
  const ignore = mappingsIn(entry.ignore).map((each) => {
    const versions = stringsIn(each.versions);
    const changes = changesIn(each["update-types"], "version-update:semver-");
    return {
      dependency: stringIn(each["dependency-name"]) ?? "*",
      ...(versions.length > 0 ? { versions } : {}),
      ...(changes.length > 0 ? { changes } : {}),
    };
  });
  const allow = mappingsIn(entry.allow).map((each): Allow => {
    const dependency = stringIn(each["dependency-name"]);
    const type = stringIn(each["dependency-type"]) as Allow["type"];
    return {
      ...(dependency === undefined ? {} : { dependency }),
      ...(type === undefined ? {} : { type }),
    };
  });
  const groups = Object.entries(mappingIn(entry.groups) ?? {}).map(groupOf);
  const named = automergedIn(entry).filter(({ dependency }) => dependency !== undefined);
  return {
    ...given("labels", "labels" in entry ? stringsIn(entry.labels) : undefined),
    ...given("requirementsUpdateStrategy", strategy),
    ...given("openPullRequestsLimit", limit),
    ...given("ignore", ignore.length > 0 ? ignore : undefined),
    ...given("allow", allow.length > 0 ? allow : undefined),
    ...given("groups", groups.length > 0 ? groups : undefined),
    ...given("automerged", named.length > 0 ? named : undefined),
    ...given("commitPrefix", stringIn(message?.prefix)),
    ...given("commitPrefixDevelopment", stringIn(message?.["prefix-development"])),
    ...given("commitScope", stringIn(message?.include) === "scope" ? true : undefined),
    ...given("cooldownDays", numberIn(cooldown["default-days"])),
    ...given("cooldown", cooldownOf(cooldown)),
    ...given("rebase", entry["rebase-strategy"] === "disabled" ? false : undefined),
    ...given("branchSeparator", separator === "-" || separator === "_" ? separator : undefined),
    ...given("cron", cronOf(schedule ?? {})),
    ...given("time", timeIn(schedule?.time)),
    ...given("day", dayIn(schedule?.day)),
    ...given("weekdays", isDaily(schedule) ? true : undefined),
    ...given("timeZone", stringIn(schedule?.timezone)),
  };
}

type Automerged = NonNullable<ConfigExtras["automerged"]>[number];

export const mergeRules = [
  "never",
  "security:patch",
  "semver:patch",
  "semver:minor",
  "in_range",
  "all",
];

/** The key `automerge`, which only Reeve knows. */
const automergedIn = (entry: YamlMapping): readonly Automerged[] =>
  mappingsIn(entry.automerge).map((each) => {
    const dependency = stringIn(each["dependency-name"]);
    const rule = stringIn(each["update-type"]) ?? "never";
    return {
      ...given("dependency", dependency),
      type: typeOf(each["dependency-type"]) ?? "all",
      rule: mergeRules.includes(rule) ? rule : "never",
    };
  });

/** The first rule without a name for each type of dependency. */
export function rulesOfVersion2(entry: YamlMapping): {
  readonly automergeRuntime: string;
  readonly automergeDevelopment: string;
} {
  const general = automergedIn(entry).filter(({ dependency }) => dependency === undefined);
  const of = (kind: "production" | "development"): string =>
    general.find(({ type }) => type === kind || type === "all")?.rule ?? "never";
  return { automergeRuntime: of("production"), automergeDevelopment: of("development") };
}

function cooldownOf(cooldown: YamlMapping): ConfigExtras["cooldown"] {
  const days = (["major", "minor", "patch"] as const).flatMap((change) => {
    const wanted = numberIn(cooldown[`semver-${change}-days`]);
    return wanted === undefined ? [] : [[change, wanted] as const];
  });
  const more = {
    ...given("changes", days.length > 0 ? Object.fromEntries(days) : undefined),
    ...given("include", "include" in cooldown ? stringsIn(cooldown.include) : undefined),
    ...given("exclude", "exclude" in cooldown ? stringsIn(cooldown.exclude) : undefined),
  };
  return Object.keys(more).length > 0 ? more : undefined;
}

/** Intervals without a word in the API: the first day of these months. */
const RARE: Readonly<Record<string, string>> = {
  quarterly: "1,4,7,10",
  semiannually: "1,7",
  yearly: "1",
};

function cronOf(schedule: YamlMapping): string | undefined {
  const interval = stringIn(schedule.interval) ?? "";
  if (interval === "cron") return stringIn(schedule.cronjob);
  const months = RARE[interval];
  if (months === undefined) return undefined;
  const [hour = "05", minute = "00"] = (timeIn(schedule.time) ?? "05:00").split(":");
  return `${Number(minute)} ${Number(hour)} 1 ${months} *`;
}

function groupOf([name, value]: [string, unknown]): Group {
  const group = mappingIn(value) ?? {};
  const applies = stringIn(group["applies-to"]);
  const changes = changesIn(group["update-types"], "");
  return {
    name,
    ...given("patterns", "patterns" in group ? stringsIn(group.patterns) : undefined),
    ...given(
      "exclude",
      "exclude-patterns" in group ? stringsIn(group["exclude-patterns"]) : undefined,
    ),
    ...given("type", typeOf(group["dependency-type"])),
    ...given("changes", changes.length > 0 ? changes : undefined),
    ...given(
      "appliesTo",
      applies === "version-updates" || applies === "security-updates" ? applies : undefined,
    ),
  };
}

function typeOf(value: unknown): Group["type"] {
  return value === "development" || value === "production" ? value : undefined;
}

function changesIn(value: unknown, prefix: string): readonly Change[] {
  return stringsIn(value).flatMap((each) => {
    const word = each.startsWith(prefix) ? each.slice(prefix.length) : "";
    return word === "major" || word === "minor" || word === "patch" ? [word] : [];
  });
}

/** Only of the days of a week: a weekly run on any other would never be due. */
function dayIn(value: unknown): string | undefined {
  const day = stringIn(value);
  return DAYS.find((each) => each === day);
}

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The format's `daily` is from Monday to Friday. */
const isDaily = (schedule: YamlMapping | undefined): boolean => schedule?.interval === "daily";

/** `5:30` becomes `05:30`. */
function timeIn(value: unknown): string | undefined {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(stringIn(value) ?? "") ?? [];
  return hour !== undefined && minute !== undefined && Number(hour) < 24 && Number(minute) < 60
    ? `${hour.padStart(2, "0")}:${minute}`
    : undefined;
}

const given = <const Name extends string, const Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
