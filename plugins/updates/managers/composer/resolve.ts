/** Refreshes composer.lock in process: the moved entries and the hash of composer.json change. */
import { type Node, parseTree } from "jsonc-parser";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { readJson } from "../../text/json.js";
import { replaced, withoutMark } from "../../text/text.js";
import type { RepositoryPath, VersionChange } from "../contract.js";
import { LockFallback } from "../lock/refresh.js";
import {
  isPlatform,
  type JsonObject,
  type LockedPackage,
  lockDocument,
  readComposerLock,
  textsOf,
} from "./lockfile/read.js";
import { composerContentHash, lockEntry, phpJson } from "./lockfile/write.js";
import { packageVersion } from "./registry.js";
import { allowsVersion, constraintOf, normalized } from "./versions/versions.js";

interface LockChange {
  readonly manifest: RepositoryPath;
  /** Before and after the edit. */
  readonly old: string;
  readonly edited: string;
  readonly lock: RepositoryPath;
  readonly text: string;
  readonly changes: readonly VersionChange[];
  readonly lookup: Lookup;
}

/** @throws UpdatesError `does_not_resolve`; LockFallback; as `Lookup` */
export async function moveLocked(refreshing: LockChange): Promise<string> {
  const { lock, text, changes } = refreshing;
  const before = readComposerLock(lock, text);
  if (lockDocument(lock, text)["content-hash"] !== composerContentHash(refreshing.old))
    throw new LockFallback("it is for another composer.json than there is");
  const entries = new Map<string, JsonObject>();
  for (const change of changes)
    entries.set(change.dependency.name, await newEntry(refreshing, before, change));
  const after = before.map((one): LockedPackage => {
    const entry = entries.get(one.name);
    return entry ? { ...one, version: String(entry.version), entry } : one;
  });
  const json = readJson(refreshing.manifest, refreshing.edited);
  const project = {
    roots: textsOf(json.value("require")),
    developmentRoots: textsOf(json.value("require-dev")),
  };
  assertStands(project, before, after, new Set(entries.keys()));
  return written(refreshing, entries);
}

/** Prereleases and stability flags such as `@beta`, which the lock repeats elsewhere. */
const FLAGGED = /@|-?(?:alpha|beta|rc|dev)/i;

async function newEntry(
  { text, lookup }: LockChange,
  before: readonly LockedPackage[],
  { dependency, to, requirements }: VersionChange,
): Promise<JsonObject> {
  const { name, declarations, current } = dependency;
  const old = before.filter((one) => one.name === name);
  if (old.length !== 1 || current === undefined)
    throw new LockFallback(`${name} is not locked once`);
  if (
    [...requirements, ...declarations.map(({ requirement }) => requirement), to.version].some(
      (one) => FLAGGED.test(one),
    )
  )
    throw new LockFallback(`the stability of ${name} is noted in the lock`);
  const locked = await packageVersion(dependency, current, lookup);
  const wanted = await packageVersion(dependency, to.version, lookup);
  const entry = wanted && lockEntry(wanted);
  const known = locked && lockEntry(locked);
  // The old entry must be reproduced exactly; then the metadata is understood.
  if (!entry || !known || phpJson(known, indentOf(text)) !== phpJson(old[0]?.entry, indentOf(text)))
    throw new LockFallback(`${name} is described in a way that is not written here`);
  return entry;
}

const indentOf = (text: string): string => /^([ \t]+)"/m.exec(text)?.[1] ?? "    ";

function written(
  { text: whole, edited, manifest }: LockChange,
  entries: ReadonlyMap<string, JsonObject>,
): string {
  const { text, skipped } = withoutMark(whole);
  const root = parseTree(text);
  const indent = indentOf(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const edits = [
    { node: memberOf(root, "content-hash"), value: `"${composerContentHash(edited)}"` },
  ];
  for (const key of ["packages", "packages-dev"])
    for (const node of memberOf(root, key)?.children ?? []) {
      const entry = entries.get(String(memberOf(node, "name")?.value).toLowerCase());
      if (!entry) continue;
      const lines = phpJson(entry, indent).split("\n");
      edits.push({ node, value: lines.join(newline + indent.repeat(2)) });
    }
  return replaced(
    whole,
    edits.map(({ node, value }) => {
      if (!node) throw new LockFallback(`there is no hash of ${manifest} in it`);
      const start = node.offset + skipped;
      return { range: { start, end: start + node.length }, text: value };
    }),
  );
}

const memberOf = (node: Node | undefined, key: string): Node | undefined =>
  node?.type === "object"
    ? node.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1]
    : undefined;

interface ComposerProject {
  /** `require` and `require-dev` after the change. */
  readonly roots: ReadonlyMap<string, string>;
  readonly developmentRoots: ReadonlyMap<string, string>;
}

/**
 * `after` is the lock with the changed packages in it.
 * @throws UpdatesError `does_not_resolve` where one that stays does not allow the change; LockFallback where others would have to move
 */
function assertStands(
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
      const dependent = `${name} ${version}`;
      if (isPlatform(target)) {
        if (changed.has(name) && target !== "php" && !platforms.has(target))
          throw new LockFallback(`${dependent} needs ${target}, which nothing needed before`);
      } else if (changed.has(target)) assertAllowed(dependent, target, requirement, byName);
      else if (changed.has(name)) assertThere(dependent, target, requirement, byName, before);
    }
  for (const one of after) assertNoConflict(one, byName, changed);
  assertSameShape(project, before, after);
}

const fits = (version: string, requirement: string): boolean => {
  const [constraint, normal] = [constraintOf(requirement), normalized(version)];
  return constraint !== undefined && normal !== undefined && allowsVersion(constraint, normal);
};

function assertAllowed(
  dependent: string,
  name: string,
  requirement: string,
  byName: ReadonlyMap<string, LockedPackage>,
): void {
  const version = byName.get(name)?.version ?? "";
  if (constraintOf(requirement) === undefined)
    throw new LockFallback(
      `${dependent} needs ${name} ${requirement}, which is no range of versions`,
    );
  if (!fits(version, requirement))
    throw new UpdatesError(
      "does_not_resolve",
      `${dependent} needs ${name} ${requirement}, and ${version} is used.`,
    );
}

/** Each requirement of the new version must be locked, or be unchanged. */
function assertThere(
  dependent: string,
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
    `${dependent} needs ${name} ${requirement}, and ${found ? `${found.version} is locked` : "it is not locked"}`,
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

/** The change keeps the set of packages, and of those for development. */
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

/** Follows requirements and the packages that provide them. */
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
