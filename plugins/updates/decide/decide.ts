/** Decides which version a dependency moves to, or why it stays. Pure. */
import { affects } from "../advisories/affects.js";
import type { Advisory } from "../advisories/contract.js";
import { mergeAliases } from "../advisories/merge-aliases.js";
import type {
  Available,
  Declaration,
  Dependency,
  Manager,
  ParsedProject,
  Release,
  Strategy,
} from "../managers/contract.js";
import type { SemverChange } from "../model.js";
import { semverChange } from "../versions/change.js";
import type { NoUpdate, NoUpdateReason, UpdateDecision, UpdatePolicy } from "./contract.js";
import { cooldownOf } from "./cooldown.js";
import { excludedBy } from "./excluded.js";
import { ignoredBy } from "./ignore.js";

export interface Case {
  readonly manager: Manager;
  readonly dependency: Dependency;
  readonly runtime: ParsedProject["runtime"];
  readonly library: boolean;
  readonly available: Available;
  readonly advisories: readonly Advisory[];
  readonly policy: UpdatePolicy;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function decide(given: Case): UpdateDecision {
  const { manager, dependency, available, policy } = given;
  const { versioning } = manager;
  const { name, declarations } = dependency;
  if (dependency.origin.kind === "none") return none("no_origin", dependency.origin.why);
  if (isElsewhere(dependency, policy))
    return none("ignored", `${name} is updated by the config of ${policy.elsewhere?.manager}.`);

  const from = versionInUse(given);
  const applying = given.advisories.filter(
    (advisory) => from !== undefined && affects(advisory, from, versioning),
  );
  const security = applying.length > 0;
  if (policy.securityOnly && !security) return none("not_vulnerable", notVulnerable(name, from));
  if (declarations.length === 0 && !security)
    return none(
      "indirect",
      `${name} is only used by other dependencies, which decide its version.`,
    );

  const comparable = manager
    .comparable(dependency, available)
    .filter(({ withdrawn }) => withdrawn === undefined);
  if (comparable.length === 0)
    return none(
      "nothing_comparable",
      `${`No offered version is comparable with ${name} ${from ?? ""}`.trim()}.`,
    );
  const newer = comparable
    .filter(({ version }) => from === undefined || versioning.compare(version, from) > 0)
    .toSorted((a, b) => versioning.compare(b.version, a.version));
  const strategy: Strategy = policy.lockfileOnly
    ? "lockfile_only"
    : (policy.strategy ?? manager.strategy(given.library));
  if (strategy === "lockfile_only" && dependency.lockedBy === undefined)
    return none("not_locked", `No lock file pins ${name}, and only lock files may change.`);

  // A fix must not have another known vulnerability.
  const isSafe = (version: string): boolean =>
    !given.advisories.some((advisory) => affects(advisory, version, versioning));
  const offered: Release[] = [];
  // Report a prerelease only if there is no other reason.
  let passed: NoUpdate | undefined;
  let early: NoUpdate | undefined;
  for (const release of newer) {
    const objection = objectionTo(release, { ...given, from, security, strategy });
    if (!objection) {
      offered.push(release);
      // Offer the newest version, but the oldest fix.
      if (!security) break;
    } else if (!security || isSafe(release.version)) {
      const about = { ...objection, newest: release.version };
      if (versioning.isPrerelease(release.version)) early ??= about;
      else passed ??= about;
    }
  }
  passed ??= early;
  const fixing = offered.filter(({ version }) => isSafe(version));
  const runs = (release: Release): boolean => manager.runs(release, given.runtime);
  const to = security ? (fixing.findLast(runs) ?? fixing.at(-1)) : offered[0];
  if (!to) return security && passed?.reason === "up_to_date" ? stays() : (passed ?? stays());
  const requirements = declarations.map((declaration) =>
    manager.requirement(declaration, to, strategy),
  );
  const tooNew = runs(to) ? passed : newerRuntime(name, to);
  const unchanged = requirements.every((text, index) => text === declarations[index]?.requirement);
  if (unchanged && dependency.lockedBy === undefined)
    return passed ?? none("up_to_date", `The requirement of ${name} already allows ${to.version}.`);
  return {
    kind: "update",
    change: { dependency, to, requirements },
    from,
    to: to.version,
    semver:
      from === undefined ? undefined : semverChange(versioning, from, to.version, policy.zero),
    inRange: declarations.every(({ requirement }) => versioning.satisfies(to.version, requirement)),
    toPrerelease: versioning.isPrerelease(to.version),
    ...(tooNew?.reason === "runtime_too_old" ? { runtime: tooNew.why } : {}),
    fixes: mergeAliases(applying.filter((advisory) => !affects(advisory, to.version, versioning))),
  };

  function stays(): NoUpdate {
    if (security)
      return none(
        "no_fix",
        `${name} ${from} has a known vulnerability (${ids(mergeAliases(applying))}), and no offered version fixes it.`,
      );
    return none("up_to_date", `${`${name} ${from ?? ""}`.trim()} is the newest version.`);
  }
}

/** The file and the start of the value, which is the same for every manager that reads it. */
export const declarationKey = ({ file, range }: Declaration): string => `${file}:${range.start}`;

const isElsewhere = ({ declarations }: Dependency, { elsewhere }: UpdatePolicy): boolean =>
  elsewhere !== undefined &&
  declarations.length > 0 &&
  declarations.every((each) => elsewhere.declarations.has(declarationKey(each)));

/** The locked version, or else the lowest allowed one, which a fresh install may choose. */
function versionInUse({ manager, dependency }: Case): string | undefined {
  if (dependency.current !== undefined) return dependency.current;
  const { versioning } = manager;
  return dependency.declarations
    .map(({ requirement }) => versioning.floor(requirement))
    .filter((version) => version !== undefined)
    .toSorted(versioning.compare)[0];
}

interface Candidate extends Case {
  readonly from: string | undefined;
  readonly security: boolean;
  readonly strategy: Strategy;
}

/** Why a newer version is not offered; `undefined` if it may be. */
function objectionTo(release: Release, given: Candidate): NoUpdate | undefined {
  const { manager, dependency, policy, from, security } = given;
  const { versioning } = manager;
  const { version } = release;
  const what = `${dependency.name} ${version}`;
  if (versioning.isPrerelease(version) && !samePrereleaseLine(given, version))
    return none("up_to_date", `${what} is a prerelease.`);
  if (policy.refused?.includes(version))
    return none("does_not_resolve", `${what} does not resolve with the other dependencies.`);
  if (!security && !manager.runs(release, given.runtime))
    return newerRuntime(dependency.name, release);
  const change =
    from === undefined ? undefined : semverChange(versioning, from, version, policy.zero);
  const rule = ignoredBy(
    policy.ignore,
    { name: dependency.name, to: version, change, security },
    versioning,
  );
  if (rule) return none("ignored", `${what} is ignored by the rule for ${rule.dependency}.`);
  const closed = policy.closed?.find(
    (each) =>
      each.name === dependency.name && isClosed(version, each.version, security, versioning),
  );
  if (closed)
    return none(
      "ignored",
      version === closed.version
        ? `The pull request for ${what} was closed.`
        : `${what} is older than ${closed.version}, whose pull request was closed.`,
    );
  if (!security && tooYoung(release, change, given))
    return none("cooling_down", `${what} is too young to be offered.`);
  const excluding = excludedBy(dependency.declarations, version, versioning);
  if (excluding)
    return none("ignored", `${what} is excluded by ${excluding.requirement} in ${excluding.file}.`);
  if (given.strategy !== "lockfile_only") return undefined;
  const outside = dependency.declarations.find(
    ({ requirement }) => !versioning.satisfies(version, requirement),
  );
  if (outside)
    return none(
      "out_of_range",
      `${what} is outside of ${outside.requirement} in ${outside.file}, and only lock files may change.`,
    );
  return undefined;
}

function samePrereleaseLine({ manager, from }: Candidate, version: string): boolean {
  const { versioning } = manager;
  if (from === undefined || !versioning.isPrerelease(from)) return false;
  return versioning.numbers(from)?.join() === versioning.numbers(version)?.join();
}

/** Closing a version refuses older ones too, except as security fixes. */
export const isClosed = (
  version: string,
  closed: string,
  security: boolean,
  { compare }: Pick<Manager["versioning"], "compare">,
): boolean => version === closed || (!security && compare(version, closed) <= 0);

/** Without a cooldown, release dates do not matter. */
function tooYoung(
  { published }: Release,
  change: SemverChange | undefined,
  { policy, dependency, now }: Candidate,
): boolean {
  const wait = cooldownOf(policy, dependency.name, change);
  return wait > 0 && published !== undefined && now - published < wait;
}

function newerRuntime(name: string, { version, runtime = {} }: Release): NoUpdate {
  const needed = Object.entries(runtime).map(([key, range]) => `${titles[key] ?? key} ${range}`);
  return none(
    "runtime_too_old",
    `${name} ${version} needs ${needed.join(", ")}, newer than what the project runs on.`,
  );
}

const titles: Readonly<Record<string, string>> = {
  ...{ elm: "Elm", go: "Go", node: "Node", php: "PHP", python: "Python", ruby: "Ruby" },
  rust: "Rust",
};

const ids = (advisories: readonly Advisory[]): string => advisories.map(({ id }) => id).join(", ");

const notVulnerable = (name: string, from: string | undefined): string =>
  from === undefined
    ? `The current version of ${name} is unknown, and only security fixes are wanted.`
    : `${name} ${from} has no known vulnerability, and only security fixes are wanted.`;

const none = (reason: NoUpdateReason, why: string): NoUpdate => ({ kind: "none", reason, why });
