/** Groups decisions into proposals, one for each pull request, and orders them. */
import type { Update } from "../../decide/contract.js";
import { isClosed } from "../../decide/decide.js";
import { matchesPattern } from "../../decide/ignore.js";
import type { Versioning } from "../../managers/contract.js";
import type { ConfigExtras, ConfigGroup } from "../../store/configs.js";
import type { ClosedVersion } from "../../store/pulls.js";

export interface Proposal {
  /** The sorted names; they identify the proposal that this one replaces. */
  readonly names: readonly string[];
  /** The group of the config that formed it. */
  readonly group: string | undefined;
  readonly updates: readonly Update[];
  /** At least one update fixes a known vulnerability. */
  readonly security: boolean;
}

export function proposalsOf(updates: readonly Update[], extras: ConfigExtras): readonly Proposal[] {
  const together = new Map<string, Update[]>();
  for (const update of updates) {
    const { dependency } = update.change;
    const group = groupOf(update, extras.groups ?? []);
    const key = group
      ? `group ${group.name} ${isSecurity(update) ? "security" : ""}`
      : dependency.together === undefined
        ? `name ${dependency.name}`
        : `together ${dependency.together}`;
    together.set(key, [...(together.get(key) ?? []), update]);
  }
  return [...together.values()]
    .map((members) => proposal(members, extras.groups ?? []))
    .sort((a, b) => rank(a) - rank(b) || (a.names[0] ?? "").localeCompare(b.names[0] ?? ""));
}

function proposal(updates: readonly Update[], groups: readonly ConfigGroup[]): Proposal {
  const [first] = updates;
  return {
    names: [...new Set(updates.map(({ change }) => change.dependency.name))].sort(),
    group: first && groupOf(first, groups)?.name,
    updates,
    security: updates.some(isSecurity),
  };
}

const isSecurity = ({ fixes }: Update): boolean => fixes.length > 0;

/** The first matching group. */
function groupOf(update: Update, groups: readonly ConfigGroup[]): ConfigGroup | undefined {
  const { name, development } = update.change.dependency;
  return groups.find((group) => {
    const applies = group.appliesTo ?? "version-updates";
    if (isSecurity(update) !== (applies === "security-updates")) return false;
    if (group.type !== undefined && development !== (group.type === "development")) return false;
    if (group.changes && (update.semver === undefined || !group.changes.includes(update.semver))) {
      return false;
    }
    if (group.patterns && !group.patterns.some((each) => matchesPattern(each, name))) return false;
    return !group.exclude?.some((each) => matchesPattern(each, name));
  });
}

/** Why the proposal is not made: a person closed a pull request with these dependencies at the same or newer versions. */
export function closedSetOf(
  { updates, security }: Proposal,
  closed: readonly (readonly ClosedVersion[])[],
  versioning: Pick<Versioning, "compare">,
): string | undefined {
  const isIn = (set: readonly ClosedVersion[], { change, to }: Update): boolean =>
    set.some(
      ({ name, version }) =>
        name === change.dependency.name && isClosed(to, version, security, versioning),
    );
  const set = closed.find(
    (each) => each.length > 1 && updates.every((update) => isIn(each, update)),
  );
  return (
    set &&
    `A pull request with ${set.map(({ name, version }) => `${name} ${version}`).join(", ")} was closed.`
  );
}

const LEVELS = ["patch", "minor", "major"] as const;

/** Security fixes first, then by size of change, direct dependencies before indirect ones. */
function rank({ security, updates }: Proposal): number {
  const level = Math.max(
    ...updates.map(({ semver }) => (semver === undefined ? LEVELS.length : LEVELS.indexOf(semver))),
  );
  const isDirect = updates.some(({ change }) => change.dependency.declarations.length > 0);
  return (security ? 0 : 100) + (isDirect ? 0 : 50) + level;
}
