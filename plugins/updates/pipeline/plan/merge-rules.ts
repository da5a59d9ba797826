/** Whether an update may be merged by itself, by the rules of its config. Pure. */

import type { Versioning } from "../../managers/contract.js";
import { type ConfigExtras, extrasOf } from "../../store/configs.js";
import type { Config, PullDependency } from "../../store/tables.js";
import { matchesName } from "./glob.js";

export type MergeRule =
  | "never"
  | "security:patch"
  | "semver:patch"
  | "semver:minor"
  | "in_range"
  | "all";

export interface MergeRules {
  /** What its versions mean. */
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

/** What of a dependency rules look at. */
export type RuleInput = Pick<
  PullDependency,
  "name" | "kind" | "update_type" | "in_range" | "security" | "to_version"
>;

export interface MergeVerdict {
  readonly matches: boolean;
  /** One sentence for people. */
  readonly why: string;
}

/** A pull request matches where all of its dependencies do. */
export function verdictOf(dependencies: readonly RuleInput[], rules: MergeRules): MergeVerdict {
  if (dependencies.length === 0) return { matches: false, why: "Nothing is known of its content." };
  for (const dependency of dependencies) {
    const rule = ruleFor(dependency, rules);
    if (!fits(dependency, rule, rules)) {
      return { matches: false, why: refusal(dependency, rule) };
    }
  }
  return { matches: true, why: "The rules of its config allow it." };
}

/** What is for both, runtime and development, is a matter of runtime. */
function ruleFor(dependency: RuleInput, { runtime, development, extras }: MergeRules): MergeRule {
  const whitelist = extras.automergeWhitelist ?? [];
  if (whitelist.length > 0 && !whitelist.some((each) => matchesName(each, dependency.name))) {
    return "never";
  }
  const isDevelopment = dependency.kind === "development";
  for (const each of extras.automerged ?? []) {
    if (each.dependency !== undefined && !matchesName(each.dependency, dependency.name)) continue;
    if (each.type === "all" || (each.type === "development") === isDevelopment) {
      return each.rule as MergeRule;
    }
  }
  return isDevelopment ? development : runtime;
}

function fits(dependency: RuleInput, rule: MergeRule, { versioning }: MergeRules): boolean {
  if (rule === "all") return true;
  // No rule but `all` takes a prerelease; what one is, every manager says in its own way.
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
