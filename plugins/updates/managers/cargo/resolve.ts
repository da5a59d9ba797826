/**
 * Moves a crate in a locked graph as `cargo update --precise` does, or falls back. A move is certain where everything that the new
 * version needs is locked and no other crate's features can change.
 */
import semver from "semver";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { LockFallback } from "../lock/refresh.js";
import { type CargoLock, keyOf, type LockedCrate } from "./lockfile.js";
import { type Crate, type CrateDependency, crateOf } from "./registry.js";
import { cargoVersioning } from "./versions.js";

export interface CrateMove {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

export interface ResolveContext {
  readonly lookup: Lookup;
  /** The registry of a source. */
  ofSource(source: string): string | undefined;
  /** All requirements that a local package has on a crate; undefined where its manifest was not read. */
  required(member: string, name: string): readonly string[] | undefined;
}

/** @throws LockFallback; UpdatesError `does_not_resolve`; as `Lookup` */
export async function moveCrate(
  lock: CargoLock,
  move: CrateMove,
  context: ResolveContext,
): Promise<CargoLock> {
  const { name, from, to } = move;
  const old = [...lock.crates.values()].find(
    (crate) => crate.name === name && crate.version === from && crate.source !== undefined,
  );
  if (!old) throw new LockFallback(`${name} ${from} is not in Cargo.lock.`);
  const crates = new Map(lock.crates);
  const next: LockedCrate = { ...old, version: to };
  const [oldKey, newKey] = [keyOf(old), keyOf(next)];
  const { movers, stayers } = await dependents(lock, old, to, context);
  if (movers.length === 0) throw new LockFallback(`Nothing asks for ${name} ${to}.`);
  const rival = [...crates.values()].find(
    (crate) =>
      crate.name === name && crate !== old && crate.version !== to && compatible(crate.version, to),
  );
  if (rival) throw new LockFallback(`${name} ${rival.version} is locked beside ${from}.`);

  const mine = await ask(old, context);
  const theirs = await ask(next, context);
  const known = crates.get(newKey);
  if ((stayers.length > 0 || known) && !(isPlain(mine) && isPlain(theirs)))
    throw new LockFallback(`Two versions of ${name} share its features.`);
  if (!known) {
    const dependencies = await needed(lock, { old, mine, theirs, to }, context);
    crates.set(newKey, { ...next, checksum: theirs.checksum, dependencies });
  }
  for (const mover of movers)
    crates.set(keyOf(mover), {
      ...mover,
      dependencies: [...new Set(mover.dependencies.map((key) => (key === oldKey ? newKey : key)))],
    });
  return withoutOrphans(lock, { head: lock.head, crates }, newKey, context);
}

/** The crates that move along and those that keep the old version. A crate that must move along and cannot makes the update unresolvable. */
async function dependents(lock: CargoLock, old: LockedCrate, to: string, context: ResolveContext) {
  const { name, version } = old;
  const movers: LockedCrate[] = [];
  const stayers: LockedCrate[] = [];
  for (const crate of lock.crates.values()) {
    if (!crate.dependencies.includes(keyOf(old))) continue;
    const requirements = await requirementsOf(crate, name, context);
    const among = crate.dependencies.filter((key) => lock.crates.get(key)?.name === name);
    if (requirements.length === 0 || among.length > 1)
      throw new LockFallback(`${crate.name} uses more than one version of ${name}.`);
    const keeps = requirements.every((text) => cargoVersioning.satisfies(version, text));
    const goes = requirements.every((text) => cargoVersioning.satisfies(to, text));
    // Cargo locks two versions only where they are incompatible.
    if (goes && (compatible(version, to) || !keeps)) movers.push(crate);
    else if (keeps && !compatible(version, to)) stayers.push(crate);
    else
      throw new UpdatesError(
        "does_not_resolve",
        `${crate.name} ${crate.version} requires ${requirements.join(", ")} of ${name}, which ${to} is not.`,
      );
  }
  return { movers, stayers };
}

async function requirementsOf(
  crate: LockedCrate,
  name: string,
  context: ResolveContext,
): Promise<readonly string[]> {
  if (crate.source !== undefined) {
    const { dependencies } = await ask(crate, context);
    return dependencies.filter((each) => each.name === name).map(({ requirement }) => requirement);
  }
  const required = context.required(crate.name, name);
  if (!required) throw new LockFallback(`The manifest of ${crate.name} was not read.`);
  return required;
}

function ask({ name, version, source = "" }: LockedCrate, context: ResolveContext): Promise<Crate> {
  const url = context.ofSource(source);
  if (url === undefined)
    throw new LockFallback(`${name} comes from ${source}, which is not asked.`);
  return crateOf(url, name, version, context.lookup);
}

/** No feature of it changes what it depends on. */
const isPlain = ({ dependencies, features }: Crate): boolean =>
  !dependencies.some(({ optional }) => optional) &&
  !Object.values(features).some((turnedOn) => turnedOn.some((each) => each.includes("/")));

interface Step {
  readonly old: LockedCrate;
  readonly mine: Crate;
  readonly theirs: Crate;
  readonly to: string;
}

/** The dependencies of the new version as keys of the lock. */
async function needed(
  lock: CargoLock,
  { old, mine, theirs, to }: Step,
  context: ResolveContext,
): Promise<readonly string[]> {
  const what = `${old.name} ${to}`;
  const gone = Object.keys(mine.features).find((feature) => !(feature in theirs.features));
  if (gone !== undefined) throw new LockFallback(`${what} has no feature ${gone} any more.`);
  if (!(isPlain(mine) && isPlain(theirs)) && !sameSwitches(mine, theirs))
    throw new LockFallback(`The features of ${what} are not those of ${old.version}.`);
  const active = (dependency: CrateDependency): boolean =>
    !dependency.optional ||
    old.dependencies.some((key) => lock.crates.get(key)?.name === dependency.name);
  const keys = new Set<string>();
  for (const dependency of theirs.dependencies.filter(active)) {
    const source =
      dependency.registry === undefined ? old.source : `registry+${dependency.registry}`;
    const fitting = [...lock.crates.values()].filter(
      (crate) =>
        crate.name === dependency.name &&
        crate.source === source &&
        cargoVersioning.satisfies(crate.version, dependency.requirement),
    );
    const [found] = fitting;
    if (!found)
      throw new LockFallback(`${what} needs ${dependency.name} ${dependency.requirement}.`);
    if (fitting.length > 1)
      throw new LockFallback(`${what} may use more than one locked version of ${dependency.name}.`);
    const featuresOf = (crate: Crate): string =>
      JSON.stringify(
        crate.dependencies
          .filter(({ name }) => name === found.name)
          .map(({ features }) => features),
      );
    const before =
      old.dependencies.includes(keyOf(found)) && featuresOf(mine) === featuresOf(theirs);
    if (!before && !isPlain(await ask(found, context)))
      throw new LockFallback(`${what} asks for other features of ${found.name}.`);
    keys.add(keyOf(found));
  }
  return [...keys];
}

/** The same optional dependencies and the same features that turn them on. */
function sameSwitches(a: Crate, b: Crate): boolean {
  const switches = ({ dependencies, features }: Crate): string =>
    JSON.stringify([
      dependencies
        .filter(({ optional }) => optional)
        .map(({ key, name }) => [key, name])
        .sort(),
      Object.entries(features)
        .map(([feature, turnedOn]) => [feature, [...turnedOn].sort()])
        .sort(),
    ]);
  return switches(a) === switches(b);
}

/** Removes unreachable crates; their dependencies must not lose features by that. */
async function withoutOrphans(
  before: CargoLock,
  { head, crates }: CargoLock,
  moved: string,
  context: ResolveContext,
): Promise<CargoLock> {
  const reached = new Set<string>();
  const queue = [...crates].filter(([, { source }]) => source === undefined).map(([key]) => key);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (reached.has(key)) continue;
    reached.add(key);
    queue.push(...(crates.get(key)?.dependencies ?? []));
  }
  const now = new Set(crates.get(moved)?.dependencies);
  const gone = [...crates.values()].filter((crate) => !reached.has(keyOf(crate)));
  const lost = new Set(
    gone
      .flatMap(({ dependencies }) => dependencies)
      .filter((key) => reached.has(key) && !now.has(key)),
  );
  for (const key of lost) {
    const crate = before.crates.get(key);
    if (crate && !isPlain(await ask(crate, context)))
      throw new LockFallback(`${crate.name} may need fewer features.`);
  }
  return { head, crates: new Map([...crates].filter(([key]) => reached.has(key))) };
}

/** Cargo locks only one of two compatible versions. */
function compatible(a: string, b: string): boolean {
  return (
    semver.satisfies(b, `^${a}`, { includePrerelease: true }) ||
    semver.satisfies(a, `^${b}`, { includePrerelease: true })
  );
}
