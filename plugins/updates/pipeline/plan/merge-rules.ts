/** Whether a config's rules allow an automatic merge. Pure. */

import { matchesPattern } from "../../decide/ignore.js";
import type { Versioning } from "../../managers/contract.js";
import { type ConfigExtras, extrasOf } from "../../store/configs.js";
import type { Config, PullDependency } from "../../store/tables.js";

export type MergeRule =
  | "never"
  | "security:patch"
  | "semver:patch"
  | "semver:minor"
  | "in_range"
  | "all";

export interface MergeRules {
  /** The manager's version semantics. */
  readonly versioning: Pick<Versioning, "isPrerelease">;
  readonly runtime: MergeRule;
  readonly development: MergeRule;
  readonly extras: Pick<ConfigExtras, "automerged" | "automergeWhitelist">;
}

export const rulesOf = (
  config: Config,
  { versioning }: Pick<MergeRules, "versioning">,
): MergeRules => ({
  versioning,
  runtime: config.automerge_runtime as MergeRule,
  development: config.automerge_development as MergeRule,
  extras: extrasOf(config),
});

/** The properties that rules examine. */
export type RuleInput = Pick<
  PullDependency,
  "name" | "kind" | "update_type" | "in_range" | "security" | "to_version"
>;

export interface MergeVerdict {
  readonly matches: boolean;
  /** One sentence. */
  readonly why: string;
}

/** A pull request matches if all of its dependencies match. */
export function verdictOf(dependencies: readonly RuleInput[], rules: MergeRules): MergeVerdict {
  if (dependencies.length === 0) return { matches: false, why: "Its dependencies are unknown." };
  for (const dependency of dependencies) {
    const rule = ruleFor(dependency, rules);
    if (!fits(dependency, rule, rules)) {
      return { matches: false, why: refusal(dependency, rule) };
    }
  }
  return { matches: true, why: "The rules of its config allow it." };
}

/** Dependencies for runtime and development follow the runtime rule. */
function ruleFor(dependency: RuleInput, { runtime, development, extras }: MergeRules): MergeRule {
  const whitelist = extras.automergeWhitelist ?? [];
  if (whitelist.length > 0 && !whitelist.some((each) => matchesPattern(each, dependency.name))) {
    return "never";
  }
  const isDevelopment = dependency.kind === "development";
  for (const each of extras.automerged ?? []) {
    if (each.dependency !== undefined && !matchesPattern(each.dependency, dependency.name))
      continue;
    if (each.type === "all" || (each.type === "development") === isDevelopment) {
      return each.rule as MergeRule;
    }
  }
  return isDevelopment ? development : runtime;
}

function fits(dependency: RuleInput, rule: MergeRule, { versioning }: MergeRules): boolean {
  if (rule === "all") return true;
  // Only `all` accepts a prerelease; the manager defines what that is.
  if (versioning.isPrerelease(dependency.to_version)) return false;
  const { update_type: change } = dependency;
  switch (rule) {
    case "never":
      return false;
    case "security:patch":
      return change === "patch" && dependency.security === 1;
    case "semver:patch":
      return change === "patch";
    case "semver:minor":
      return change === "patch" || change === "minor";
    case "in_range":
      return dependency.in_range === 1;
  }
}

function refusal({ name, kind, update_type: change }: RuleInput, rule: MergeRule): string {
  const which = kind === "development" ? "development" : "runtime";
  const what = change === "other" ? "an update without a semantic version" : `a ${change} update`;
  return `${name} is ${what}, and the rule for ${which} dependencies is ${rule}.`;
}
