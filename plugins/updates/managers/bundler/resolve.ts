/**
 * Finds which gems of a lock move with an update. Locked versions stay wherever they are allowed; other requirements of the new
 * versions resolve to the newest that fits, and unused gems leave. The result is verified as a whole.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { LockFallback } from "../lock/refresh.js";
import type { GemLock, GemNeed, LockedGem } from "./lockfile/read.js";
import { type GemRelease, gemDetails, gemReleases } from "./registry.js";
import { bestFor, gemVersioning } from "./versions.js";

export interface MovedGem {
  readonly name: string;
  readonly version: string;
  /** One entry per platform with a gem of its own. */
  readonly variants: readonly Required<Pick<GemRelease, "version" | "platform" | "needs">>[];
  readonly checksums: ReadonlyMap<string, string>;
  /** Its position in the lock. */
  readonly section: number;
}

export interface GemResolution {
  readonly lock: GemLock;
  /** Name → version. */
  readonly wanted: ReadonlyMap<string, string>;
  /** The project's requirements after the change, with those of gemspecs. */
  readonly direct: readonly GemNeed[];
  /** The lowest supported Ruby. */
  readonly ruby: string | undefined;
  readonly registryOf: (section: number) => string | undefined;
  readonly lookup: Lookup;
}

/** A fallback that another choice of a free gem may avoid. */
class Blocked extends LockFallback {
  constructor(
    message: string,
    readonly by: string,
  ) {
    super(message);
  }
}

const MOST_ATTEMPTS = 50;

/**
 * @returns the gems that move or come in, and the names of those that stay in the lock
 * @throws UpdatesError `does_not_resolve`; LockFallback
 */
export async function resolveGems(resolution: GemResolution) {
  const banned = new Set<string>();
  for (let left = MOST_ATTEMPTS; ; left -= 1)
    try {
      return await attempt(resolution, banned);
    } catch (error) {
      if (!(error instanceof Blocked) || left === 0) throw error;
      banned.add(error.by);
    }
}

/** `banned` has versions without a solution: `inner 2.0.0`. */
async function attempt(resolution: GemResolution, banned: ReadonlySet<string>) {
  const { lock, wanted } = resolution;
  const locked = Map.groupBy(lock.gems, ({ name }) => name);
  const moved = new Map<string, MovedGem>();
  const chosen = new Map(wanted);
  const queue = [...wanted].map(([name, version]) => ({ name, version, from: name }));
  for (const { name, version, from } of queue) {
    const gem = await movedGem(name, version, sectionOf(locked, from), resolution);
    moved.set(name, gem);
    for (const need of needsOf(gem.variants)) {
      const { name: needed } = need;
      if (needed === "bundler") continue;
      const current = chosen.get(needed) ?? locked.get(needed)?.[0]?.version;
      if (current !== undefined && gemVersioning.satisfies(current, need.requirement)) continue;
      const dependent = { name, version };
      if (chosen.has(needed)) throw conflict(wanted, dependent, need, { version: current, chosen });
      const section = sectionOf(locked, locked.has(needed) ? needed : from);
      const next = await newest(needed, section, moved, { ...resolution, locked, banned });
      if (next === undefined && isGiven(needed, moved, wanted, banned))
        throw new UpdatesError("does_not_resolve", `${needClause(dependent, need, current)}.`);
      if (next === undefined) throw conflict(wanted, dependent, need, { version: current, chosen });
      chosen.set(needed, next);
      queue.push({ name: needed, version: next, from: locked.has(needed) ? needed : from });
    }
  }
  return { moved, kept: reached(resolution, locked, moved, chosen) };
}

type Locked = ReadonlyMap<string, readonly LockedGem[]>;

interface Dependent {
  readonly name: string;
  readonly version: string;
}

function needClause(
  { name, version }: Dependent,
  need: GemNeed,
  current: string | undefined,
): string {
  const use = current === undefined ? "which is not to be had" : `and ${current} is used`;
  return `${`${name} ${version}`.trim()} needs ${`${need.name} ${need.requirement}`.trim()}, ${use}`;
}

interface Used {
  readonly version: string | undefined;
  readonly chosen: ReadonlyMap<string, string>;
}

/** Only a combination of fixed versions proves that there is no solution. */
function conflict(
  wanted: GemResolution["wanted"],
  dependent: Dependent,
  need: GemNeed,
  used: Used,
): Error {
  const why = needClause(dependent, need, used.version);
  const isFree = (name: string): boolean => used.chosen.has(name) && !wanted.has(name);
  if (isFree(dependent.name)) return new Blocked(why, `${dependent.name} ${dependent.version}`);
  if (isFree(need.name)) return new Blocked(why, `${need.name} ${used.version}`);
  return wanted.has(dependent.name) && wanted.has(need.name)
    ? new UpdatesError("does_not_resolve", `${why}.`)
    : new LockFallback(why);
}

/** Does it depend on chosen gems only, with no version of its own ruled out? */
const isGiven = (
  name: string,
  moved: ReadonlyMap<string, MovedGem>,
  wanted: ReadonlyMap<string, string>,
  banned: ReadonlySet<string>,
): boolean =>
  ![...banned].some((one) => one.startsWith(`${name} `)) &&
  [...moved.values()].every(
    (gem) => wanted.has(gem.name) || needsOf(gem.variants).every((need) => need.name !== name),
  );

/** The transitive dependencies of the moving gems: Bundler unlocks all of them. */
function below(wanted: ReadonlyMap<string, string>, locked: Locked): ReadonlySet<string> {
  const found = new Set(wanted.keys());
  for (const name of found)
    for (const need of needsOf(locked.get(name) ?? [])) found.add(need.name);
  return found;
}

const needsOf = (gems: readonly Pick<LockedGem, "needs">[]): readonly GemNeed[] =>
  gems.flatMap(({ needs }) => needs);

function sectionOf(locked: Locked, name: string): number {
  const sections = new Set(locked.get(name)?.map(({ section }) => section));
  const [section] = sections;
  if (section === undefined || sections.size > 1)
    throw new LockFallback(`${name} is not locked in one place`);
  return section;
}

async function movedGem(
  name: string,
  version: string,
  section: number,
  { lock, registryOf, lookup }: GemResolution,
): Promise<MovedGem> {
  const url = registryOf(section);
  if (url === undefined) throw new LockFallback(`${name} does not come from a registry`);
  const releases = await gemReleases(url, name, lookup);
  const before = lock.gems.filter((gem) => gem.name === name);
  const [old] = before;
  if (old) {
    const expected = variantsOf(lock, releases, old.version).map(({ platform }) => platform);
    const actual = before.map(({ platform }) => platform);
    if (expected.toSorted().join() !== actual.toSorted().join())
      throw new LockFallback(`${name} is locked for other platforms than expected`);
  }
  const found = variantsOf(lock, releases, version);
  if (found.length === 0)
    throw new UpdatesError(
      "does_not_resolve",
      `There is no ${name} ${version} for these platforms.`,
    );
  const variants = await Promise.all(
    found.map(async (release) => {
      const { needs = [] } = await gemDetails(url, name, release, lookup);
      return { version, platform: release.platform, needs };
    }),
  );
  const checksums = found.flatMap(({ platform, checksum }) =>
    checksum === undefined ? [] : [[platform, checksum] as const],
  );
  return { name, version, variants, checksums: new Map(checksums), section };
}

/** One entry per platform of the lock, by name. */
function variantsOf(
  { platforms }: GemLock,
  releases: readonly GemRelease[],
  version: string,
): readonly GemRelease[] {
  const offered = releases.filter((release) => release.version === version);
  const chosen = new Set(platforms.flatMap((platform) => bestFor(platform, offered) ?? []));
  return [...chosen].toSorted((a, b) => (a.platform < b.platform ? -1 : 1));
}

interface Choosing extends GemResolution {
  readonly locked: Locked;
  readonly banned: ReadonlySet<string>;
}

/** The newest version that all moving gems allow, and the staying ones if possible. */
async function newest(
  name: string,
  section: number,
  moved: ReadonlyMap<string, MovedGem>,
  { lock, direct, ruby, registryOf, lookup, locked, banned }: Choosing,
): Promise<string | undefined> {
  const url = registryOf(section);
  if (url === undefined) throw new LockFallback(`${name} does not come from a registry`);
  const of = (needs: readonly GemNeed[]): readonly string[] =>
    needs.filter((need) => need.name === name).map(({ requirement }) => requirement);
  const must = of([...direct, ...[...moved.values()].flatMap(({ variants }) => needsOf(variants))]);
  const staying = lock.gems.filter((gem) => !moved.has(gem.name));
  const may = of(needsOf(staying));
  const prerelease = must.some((requirement) =>
    gemVersioning.isPrerelease(requirement.replace(/[~<>=! ,]/g, "")),
  );
  const current = locked.get(name)?.[0]?.version;
  const candidates = [
    ...new Set(
      (await gemReleases(url, name, lookup))
        .filter((one) => runsOn(one, ruby))
        .map(({ version }) => version),
    ),
  ]
    .filter((version) => !banned.has(`${name} ${version}`))
    .filter((version) => prerelease || !gemVersioning.isPrerelease(version))
    .filter((version) => must.every((requirement) => gemVersioning.satisfies(version, requirement)))
    .toSorted((a, b) => gemVersioning.compare(b, a));
  const fits = candidates.find((version) =>
    may.every((requirement) => gemVersioning.satisfies(version, requirement)),
  );
  return fits ?? candidates.find((version) => version !== current);
}

export const runsOn = (
  { ruby: requirement }: Pick<GemRelease, "ruby">,
  ruby: string | undefined,
): boolean =>
  requirement === undefined || ruby === undefined || gemVersioning.satisfies(ruby, requirement);

/** Walks the graph from the project and checks every requirement. */
function reached(
  { direct, wanted }: GemResolution,
  locked: Locked,
  moved: ReadonlyMap<string, MovedGem>,
  chosen: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const kept = new Set<string>();
  const loose = below(wanted, locked);
  const project = { name: "The project", version: "" };
  const queue = [{ dependent: project as Dependent, needs: direct, isFirm: true }];
  for (const { dependent, needs, isFirm } of queue)
    for (const need of needs) {
      const { name, requirement } = need;
      if (name === "bundler") continue;
      const gems = moved.get(name)?.variants ?? locked.get(name);
      const [gem] = gems ?? [];
      // Gems for other platforms are not locked.
      if (!gems && needs === direct) continue;
      if (!gem || !gems) throw new LockFallback(needClause(dependent, need, undefined));
      if (!gemVersioning.satisfies(gem.version, requirement)) {
        if (isFirm && (wanted.has(name) || !moved.has(name)))
          throw new UpdatesError(
            "does_not_resolve",
            `${needClause(dependent, need, gem.version)}.`,
          );
        throw conflict(wanted, dependent, need, { version: gem.version, chosen });
      }
      if (kept.has(name)) continue;
      kept.add(name);
      const isNew = moved.has(name) ? !wanted.has(name) : loose.has(name);
      queue.push({
        dependent: { name, version: gem.version },
        needs: needsOf(gems),
        isFirm: !isNew,
      });
    }
  return kept;
}
