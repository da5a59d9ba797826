/** May one package of a lock move, all others staying where they are? */
import { UpdatesError } from "../../errors.js";
import { LockFallback } from "../lock/refresh.js";
import { allowsVersion, constraintOf } from "./constraint.js";
import { isPlatform, type JsonObject, type LockedPackage, textsOf } from "./document.js";
import { normalized } from "./version.js";

export interface ComposerProject {
  /** Of `require` and of `require-dev`, after the change. */
  readonly roots: ReadonlyMap<string, string>;
  readonly developmentRoots: ReadonlyMap<string, string>;
}

/**
 * `after` is the lock with the changed packages in it.
 * @throws UpdatesError `does_not_resolve` where one that stays does not allow the change; LockFallback where others would have to move
 */
export function assertStands(
  project: ComposerProject,
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
  changed: ReadonlySet<string>,
): void {
  const byName = new Map(after.map((one) => [one.name, one]));
  const platforms = new Set(
    [...before.map(({ entry }) => entry.require), Object.fromEntries(project.roots)].flatMap(
      (links) => [...textsOf(links).keys()],
    ),
  );
  for (const [name, requirement] of [...project.roots, ...project.developmentRoots])
    if (changed.has(name)) assertAllowed("The project", name, requirement, byName);
  for (const { name, version, entry } of after)
    for (const [target, requirement] of textsOf(entry.require)) {
      const who = `${name} ${version}`;
      if (isPlatform(target)) {
        if (changed.has(name) && target !== "php" && !platforms.has(target))
          throw new LockFallback(`${who} needs ${target}, which nothing needed before`);
      } else if (changed.has(target)) assertAllowed(who, target, requirement, byName);
      else if (changed.has(name)) assertThere(who, target, requirement, byName, before);
    }
  for (const one of after) assertNoConflict(one, byName, changed);
  assertSameShape(project, before, after);
}

const fits = (version: string, requirement: string): boolean => {
  const [constraint, normal] = [constraintOf(requirement), normalized(version)];
  return constraint !== undefined && normal !== undefined && allowsVersion(constraint, normal);
};

function assertAllowed(
  who: string,
  name: string,
  requirement: string,
  byName: ReadonlyMap<string, LockedPackage>,
): void {
  const version = byName.get(name)?.version ?? "";
  if (constraintOf(requirement) === undefined)
    throw new LockFallback(`${who} needs ${name} ${requirement}, which is no range of versions`);
  if (!fits(version, requirement))
    throw new UpdatesError(
      "does_not_resolve",
      `${who} needs ${name} ${requirement}, and ${version} is used.`,
    );
}

/** What the new version needs: locked, or in the place of something locked as it was before. */
function assertThere(
  who: string,
  name: string,
  requirement: string,
  byName: ReadonlyMap<string, LockedPackage>,
  before: readonly LockedPackage[],
): void {
  const found = byName.get(name);
  if (found && fits(found.version, requirement)) return;
  const known = before.some(({ entry }) => textsOf(entry.require).get(name) === requirement);
  if (known) return;
  throw new LockFallback(
    `${who} needs ${name} ${requirement}, and ${found ? `${found.version} is locked` : "it is not locked"}`,
  );
}

function assertNoConflict(
  { name, version, entry }: LockedPackage,
  byName: ReadonlyMap<string, LockedPackage>,
  changed: ReadonlySet<string>,
): void {
  for (const [target, requirement] of textsOf(entry.conflict)) {
    const other = byName.get(target);
    if (!other || !(changed.has(name) || changed.has(target))) continue;
    if (fits(other.version, requirement))
      throw new UpdatesError(
        "does_not_resolve",
        `${name} ${version} does not go together with ${target} ${other.version}.`,
      );
  }
}

/** The same packages are needed as before, by the same half of the project. */
function assertSameShape(
  { roots, developmentRoots }: ComposerProject,
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
): void {
  const shape = (packages: readonly LockedPackage[]): string => {
    const runtime = reach(packages, roots.keys());
    const all = reach(packages, [...roots.keys(), ...developmentRoots.keys()]);
    return [...packages]
      .map(
        ({ name }) =>
          `${name} ${all.has(name) ? "needed" : "not needed"}${runtime.has(name) ? "" : " for development"}`,
      )
      .join("\n");
  };
  const offers = (packages: readonly LockedPackage[]): string =>
    JSON.stringify(
      packages.map(({ entry }) =>
        [entry.provide, entry.replace].map(textsOf).map((links) => [...links]),
      ),
    );
  const now = shape(after);
  if (now !== shape(before) || now.includes(" not needed"))
    throw new LockFallback("other packages come in or are no longer needed");
  if (offers(after) !== offers(before))
    throw new LockFallback("it stands in for other packages than before");
}

/** Through what is required, and through what stands in for it. */
function reach(packages: readonly LockedPackage[], roots: Iterable<string>): ReadonlySet<string> {
  const offering = new Map<string, LockedPackage[]>();
  const offer = (name: string, one: LockedPackage): void => {
    offering.set(name, [...(offering.get(name) ?? []), one]);
  };
  for (const one of packages) {
    offer(one.name, one);
    for (const links of [one.entry.provide, one.entry.replace] as readonly JsonObject[])
      for (const name of textsOf(links).keys()) offer(name, one);
  }
  const reached = new Set<string>();
  const queue = [...roots];
  for (const name of queue)
    for (const one of offering.get(name) ?? []) {
      if (reached.has(one.name)) continue;
      reached.add(one.name);
      queue.push(...textsOf(one.entry.require).keys());
    }
  return reached;
}
