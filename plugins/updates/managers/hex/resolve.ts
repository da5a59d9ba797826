/**
 * Finds the new versions of a lock. Locked versions stay where they are allowed; the others resolve to the newest that all allow.
 * Where Hex's solver might choose differently, resolution falls back to Mix.
 */
import { UpdatesError } from "../../errors.js";
import { LockFallback } from "../lock/refresh.js";
import type { HexNeed, LockedHex } from "./lockfile/read.js";
import type { HexRelease } from "./registry.js";
import { hexVersioning } from "./versions.js";

/** A requirement of a project. */
export interface HexRoot {
  readonly app: string;
  readonly requirement: string;
  /** Overrides requirements of packages. */
  readonly override: boolean;
}

export interface HexResolution {
  readonly locked: readonly LockedHex[];
  readonly roots: readonly HexRoot[];
  /** The new version by app. */
  readonly wanted: ReadonlyMap<string, string>;
  readonly releasesOf: (one: HexPackage) => Promise<readonly HexRelease[]>;
}

/** A package and its repository. */
export interface HexPackage {
  readonly app: string;
  readonly name: string;
  readonly repo: string;
}

export interface MovedHex extends HexPackage {
  readonly release: HexRelease;
}

/** By app, every package that moves or comes in. @throws LockFallback; UpdatesError `does_not_resolve` */
export async function resolveHex(
  resolution: HexResolution,
): Promise<ReadonlyMap<string, MovedHex>> {
  const free = new Set<string>();
  for (;;) {
    const moved = await attempt(resolution, free);
    if (moved) return moved;
  }
}

interface Ask {
  readonly dependent: string;
  readonly need: Pick<HexNeed, "app" | "requirement">;
  /** By a package whose version is fixed. */
  readonly fixed: boolean;
}

/** Undefined where one more package had to move; `free` has it then. */
async function attempt(
  { locked, roots, wanted, releasesOf }: HexResolution,
  free: Set<string>,
): Promise<ReadonlyMap<string, MovedHex> | undefined> {
  const byApp = new Map(locked.map((one) => [one.app, one]));
  const overridden = new Set(roots.filter(({ override }) => override).map(({ app }) => app));
  const packages = new Map<string, HexPackage>(byApp);
  const asks = new Map<string, Ask[]>();
  const moved = new Map<string, MovedHex>();
  /** Apps with a fixed version, and apps whose version is chosen after them. */
  const [queue, open] = [new Set<string>(), new Set<string>()];
  const visit = (app: string): void => {
    const isFixed = wanted.has(app) || (byApp.has(app) && !free.has(app));
    (isFixed ? queue : open).add(app);
  };
  const ask = (need: Ask["need"], dependent: string, fixed: boolean): void => {
    asks.set(need.app, [...(asks.get(need.app) ?? []), { dependent, need, fixed }]);
  };
  const needed = (from: HexPackage, version: string, needs: readonly HexNeed[], fixed: boolean) => {
    for (const need of needs) {
      const known = packages.get(need.app);
      if (known && (known.name !== need.name || known.repo !== need.repo))
        throw new LockFallback(
          `${from.app} ${version} needs another ${need.app} than the one that is locked`,
        );
      if (!known) packages.set(need.app, { app: need.app, name: need.name, repo: need.repo });
      if (!overridden.has(need.app)) ask(need, `${from.app} ${version}`, fixed);
      if (!need.optional) visit(need.app);
    }
  };
  const versionOf = (app: string): string | undefined =>
    moved.get(app)?.release.version ?? (open.has(app) ? undefined : byApp.get(app)?.version);
  for (const root of roots) {
    ask(root, "The project", true);
    if (byApp.has(root.app)) visit(root.app);
  }
  for (const app of wanted.keys()) visit(app);

  const follow = async (): Promise<void> => {
    for (const app of queue) {
      const one = packages.get(app) as HexPackage;
      const version = wanted.get(app);
      const kept = byApp.get(app);
      if (version === undefined && kept) needed(one, kept.version, needsOf(kept), true);
      if (version === undefined) continue;
      const release = (await releasesOf(one)).find((each) => each.version === version);
      if (!release)
        throw new UpdatesError("does_not_resolve", `The registry has no ${one.name} ${version}.`);
      moved.set(app, { ...one, release });
      needed(one, version, release.needs, true);
    }
  };
  await follow();
  for (const app of open) {
    const one = packages.get(app) as HexPackage;
    const release = choose(one, await known(one, releasesOf), asks.get(app) ?? []);
    moved.set(app, { ...one, release });
    needed(one, release.version, release.needs, false);
    await follow();
  }

  const against = [...asks].flatMap(([app, list]) => {
    const version = versionOf(app);
    return version === undefined
      ? []
      : list
          .filter(({ need }) => !hexVersioning.satisfies(version, need.requirement))
          .map((ask) => ({ ...ask, app, version }));
  });
  const kept = against.filter(({ app }) => byApp.has(app) && !wanted.has(app) && !free.has(app));
  const before = new Set(locked.map(({ app, version }) => `${app} ${version}`));
  const toFree = kept.filter(({ dependent }) => !before.has(dependent));
  for (const { app } of toFree) free.add(app);
  if (toFree.length > 0) return undefined;
  for (const { dependent, need, fixed, app, version } of against) {
    // The lock was so before the change.
    if (byApp.has(app) && !wanted.has(app) && !free.has(app)) continue;
    const why = `${dependent} needs ${app} ${need.requirement}, and ${version} is used`;
    if (fixed && wanted.has(app)) throw new UpdatesError("does_not_resolve", `${why}.`);
    throw new LockFallback(why);
  }
  return moved;
}

/** A package that a new version needs and the registry lacks has no releases. */
async function known(one: HexPackage, releasesOf: HexResolution["releasesOf"]) {
  try {
    return await releasesOf(one);
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return [];
    throw error;
  }
}

function needsOf({ app, needs }: LockedHex): readonly HexNeed[] {
  if (!needs) throw new LockFallback(`the lock does not say what ${app} needs`);
  return needs;
}

/** The newest release that all allow, if Hex would choose it in any order. */
function choose(
  { app, name }: HexPackage,
  releases: readonly HexRelease[],
  asks: readonly Ask[],
): HexRelease {
  const sorted = releases.toSorted(
    (a, b) =>
      Number(a.retired !== undefined) - Number(b.retired !== undefined) ||
      Number(hexVersioning.isPrerelease(a.version)) -
        Number(hexVersioning.isPrerelease(b.version)) ||
      hexVersioning.compare(b.version, a.version),
  );
  const best = (some: readonly Ask[]): HexRelease | undefined =>
    sorted.find(({ version }) =>
      some.every(({ need }) => hexVersioning.satisfies(version, need.requirement)),
    );
  const fixed = asks.filter((each) => each.fixed);
  const release = best(asks);
  const said = asks.map(({ need }) => need.requirement).join(", ");
  if (!release && fixed.length === asks.length)
    throw new UpdatesError("does_not_resolve", `No ${name} satisfies all that need it: ${said}.`);
  const starts = fixed.length > 0 ? [fixed] : asks.map((each) => [each]);
  if (!release || starts.some((some) => best(some) !== release))
    throw new LockFallback(`several versions of ${app} fit all packages that need it`);
  return release;
}
