/** `packageRules` as entries of a version 2 file: ignored, grouped and merged dependencies. */
import type { PackageManager } from "../../managers/index.js";
import { managerNamed, managersOfSource, patternOf } from "./names.js";
import { type Finding, type PackageRule, textsIn } from "./options.js";

type Change = "major" | "minor" | "patch";
const CHANGES: readonly Change[] = ["major", "minor", "patch"];

/** What a rule matches. */
export interface PackageMatch {
  /** Undefined: all. */
  readonly managers: ReadonlySet<PackageManager> | undefined;
  readonly names: readonly string[] | undefined;
  readonly excluded: readonly string[];
  readonly type: "development" | "production" | undefined;
  readonly changes: readonly Change[] | undefined;
}

const TYPES: ReadonlyMap<string, PackageMatch["type"]> = new Map([
  ...["devDependencies", "dev", "require-dev", "dev-dependencies"].map(
    (name) => [name, "development"] as const,
  ),
  ...["dependencies", "require"].map((name) => [name, "production"] as const),
]);

const NAMES = ["matchPackageNames", "matchDepNames", "packageNames"];
const EXPRESSIONS = ["matchPackagePatterns", "matchDepPatterns", "packagePatterns"];
const PREFIXES = ["matchPackagePrefixes", "matchDepPrefixes"];
const EXCLUDED = ["excludePackageNames", "excludeDepNames", "excludePackagePatterns"];
const OTHERS = ["matchManagers", "matchDatasources", "matchDepTypes", "matchUpdateTypes"];
const KNOWN: ReadonlySet<string> = new Set([
  ...[...NAMES, ...EXPRESSIONS, ...PREFIXES, ...EXCLUDED, ...OTHERS, "description"],
]);

export const isMatcher = (option: string): boolean => /^(match|exclude)[A-Z]/.test(option);

/** Undefined for a rule that cannot be matched here, which is reported. */
export function matchOf(
  { rule, path }: PackageRule,
  report: (finding: Finding) => void,
): PackageMatch | undefined {
  const refuse = (option: string, why: string): undefined => {
    report({ option, path: option in rule ? [...path, option] : path, why });
  };
  const foreign = Object.keys(rule).find((option) => isMatcher(option) && !KNOWN.has(option));
  if (foreign !== undefined)
    return refuse(foreign, "the rule is left out, as this cannot be matched");

  const names: string[] = [];
  const excluded: string[] = [];
  let isNamed = false;
  for (const option of [...NAMES, ...EXPRESSIONS, ...PREFIXES, ...EXCLUDED]) {
    if (!(option in rule)) continue;
    isNamed ||= !EXCLUDED.includes(option);
    for (const written of textsIn(rule[option])) {
      const isNot = written.startsWith("!") || EXCLUDED.includes(option);
      const bare = written.replace(/^!/, "");
      const isExpression = EXPRESSIONS.includes(option) || option.endsWith("Patterns");
      const pattern = PREFIXES.includes(option) ? `${bare}*` : patternOf(bare, isExpression);
      if (pattern === undefined || pattern === "")
        return refuse(
          option,
          `the rule is left out, as \`${written}\` is no name or simple pattern`,
        );
      (isNot ? excluded : names).push(pattern);
    }
  }
  const managers = managersIn(rule);
  if (managers?.size === 0)
    return refuse("matchManagers", "the rule is for no known package manager");
  const depTypes = textsIn(rule.matchDepTypes).map((each) => TYPES.get(each));
  if (depTypes.includes(undefined))
    return refuse(
      "matchDepTypes",
      "the rule is left out, as only development and production are known",
    );
  const types = new Set(depTypes);
  const updates = textsIn(rule.matchUpdateTypes);
  const changes = CHANGES.filter((each) => updates.includes(each));
  if (updates.length > 0 && changes.length === 0)
    return refuse("matchUpdateTypes", `there are no updates of the type ${updates.join(", ")}`);
  const [type] = types;
  return {
    ...{ managers, excluded },
    names: isNamed && names.length > 0 && !names.includes("*") ? names : undefined,
    type: types.size === 1 ? type : undefined,
    changes: updates.length === 0 || changes.length === CHANGES.length ? undefined : changes,
  };
}

function managersIn(rule: PackageRule["rule"]): ReadonlySet<PackageManager> | undefined {
  if (!("matchManagers" in rule) && !("matchDatasources" in rule)) return undefined;
  return new Set([
    ...textsIn(rule.matchManagers).flatMap((each) => managerNamed(each) ?? []),
    ...textsIn(rule.matchDatasources).flatMap((each) => managersOfSource(each) ?? []),
  ]);
}

/** `<3` excludes what is not below; undefined for ranges in another form. */
export function forbiddenBy(allowed: string): string | undefined {
  const [, sign, version] = /^\s*(<=?)\s*v?(\d[\w.-]*)\s*$/.exec(allowed) ?? [];
  if (version === undefined) return undefined;
  return sign === "<" ? `>=${version}` : `>${version}`;
}
