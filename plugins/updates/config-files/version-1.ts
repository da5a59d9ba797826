/** The extras and merge rules of a version 1 entry. */
import type { ConfigExtras } from "../store/configs.js";
import { listIn, mappingIn, mappingsIn, stringIn, stringsIn, type YamlMapping } from "./values.js";

const strategies: Readonly<Record<string, string>> = {
  off: "lockfile_only",
  widen_ranges: "widen_ranges",
  increase_versions: "bump_versions",
  increase_versions_if_necessary: "bump_versions_if_necessary",
};

type Automerged = NonNullable<ConfigExtras["automerged"]>[number];
type Allow = NonNullable<ConfigExtras["allow"]>[number];

export function extrasOfVersion1(entry: YamlMapping): ConfigExtras {
  const message = mappingIn(entry.commit_message);
  const labels = listIn(entry.default_labels).flatMap((each) => stringIn(each) ?? []);
  const strategy = strategies[stringIn(entry.version_requirement_updates) ?? ""];
  const prefix = stringIn(message?.prefix);
  const development = stringIn(message?.prefix_development);
  const ignored = matches(entry.ignored_updates).flatMap((match) => {
    const dependency = stringIn(match.dependency_name);
    if (dependency === undefined) return [];
    const versions = stringsIn(match.version_requirement);
    return [{ dependency, ...(versions.length > 0 ? { versions } : {}) }];
  });
  const allow = matches(entry.allowed_updates).map(
    (match): Allow => ({
      ...(stringIn(match.dependency_name) === undefined
        ? {}
        : { dependency: stringIn(match.dependency_name) ?? "" }),
      ...(stringIn(match.dependency_type) === undefined
        ? {}
        : { type: stringIn(match.dependency_type) as NonNullable<Allow["type"]> }),
      ...(stringIn(match.update_type) === "security" ? { securityOnly: true } : {}),
    }),
  );
  const automerged = automergedIn(entry).filter((each) => each.dependency !== undefined);
  return {
    ...(labels.length > 0 ? { labels } : {}),
    ...(strategy === undefined ? {} : { requirementsUpdateStrategy: strategy }),
    ...(ignored.length > 0 ? { ignore: ignored } : {}),
    ...(allow.length > 0 ? { allow } : {}),
    ...(automerged.length > 0 ? { automerged } : {}),
    ...(prefix === undefined ? {} : { commitPrefix: prefix }),
    ...(development === undefined ? {} : { commitPrefixDevelopment: development }),
    ...(message?.include_scope === true ? { commitScope: true } : {}),
  };
}

/** The rules without a dependency name, which hold for a whole dependency type. */
export function rulesOfVersion1(entry: YamlMapping): {
  readonly automergeRuntime: string;
  readonly automergeDevelopment: string;
} {
  const general = automergedIn(entry).filter((each) => each.dependency === undefined);
  const of = (kind: "production" | "development"): string =>
    general.find(({ type }) => type === kind || type === "all")?.rule ?? "never";
  return { automergeRuntime: of("production"), automergeDevelopment: of("development") };
}

const rules: Readonly<Record<string, string>> = {
  "security:patch": "security:patch",
  "semver:patch": "semver:patch",
  "semver:minor": "semver:minor",
  in_range: "in_range",
  all: "all",
};

function automergedIn(entry: YamlMapping): readonly Automerged[] {
  return matches(entry.automerged_updates).map((match) => {
    const dependency = stringIn(match.dependency_name);
    const kind = stringIn(match.dependency_type) ?? "all";
    return {
      ...(dependency === undefined ? {} : { dependency }),
      type: kind === "development" || kind === "production" ? kind : "all",
      rule: rules[stringIn(match.update_type) ?? ""] ?? "never",
    };
  });
}

const matches = (value: unknown): readonly YamlMapping[] =>
  mappingsIn(mappingsIn(value).map(({ match }) => match));
