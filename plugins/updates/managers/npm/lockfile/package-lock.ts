/**
 * The common update of package-lock.json: one package moves, and everything in the lock fits the requirements by and on it. Only
 * its entry changes, without a resolver. Where that is uncertain the result is `undefined`, and npm's own resolver decides.
 */
import { isDeepStrictEqual } from "node:util";
import semver from "semver";
import { restyleJson } from "../../../text/restyle.js";
import { withoutMark } from "../../../text/text.js";
import type { LockRequirement } from "../../lock/contract.js";
import type { VersionDocument } from "../registry/packument.js";
import {
  answering,
  edgesOf,
  isMember,
  type LockEdge,
  type LockEntries,
  movedEntry,
  type NpmLockEntry,
} from "./package-lock-entry.js";

export interface Moves {
  /** The new requirements, one per declaration. */
  readonly requirements: readonly LockRequirement[];
  /** The manifests as they were, by the member's directory: `` or `packages/a`. */
  readonly manifests: ReadonlyMap<string, string>;
  /** The registry's documents of the old and the new version, by name. */
  readonly documents: ReadonlyMap<
    string,
    readonly [before: VersionDocument, after: VersionDocument]
  >;
  readonly legacyPeers: boolean;
}

interface PackageLock {
  readonly name?: unknown;
  readonly lockfileVersion?: unknown;
  readonly packages?: Readonly<Record<string, NpmLockEntry>>;
}

/** The whole lock file. */
export function movedInLock(text: string, moves: Moves): string | undefined {
  const lock = JSON.parse(withoutMark(text).text) as PackageLock;
  if (lock.lockfileVersion !== 3 || lock.packages === undefined) return undefined;
  const entries = new Map(Object.entries(lock.packages));
  if (!membersAgree(lock, entries, moves.manifests)) return undefined;
  const moved = movedEntries(entries, moves);
  if (!moved) return undefined;
  const after = new Map([...entries, ...moved, ...updatedMembers(entries, moves.requirements)]);
  if (!allFits(after, moved, !moves.legacyPeers)) return undefined;
  return restyleJson(text, { ...lock, packages: Object.fromEntries(after) });
}

const MEMBER_FIELDS = [
  ...["version", "license", "dependencies", "devDependencies", "optionalDependencies"],
  ...["peerDependencies", "peerDependenciesMeta", "engines", "bin", "os", "cpu", "libc"],
  ...["workspaces", "funding", "bundleDependencies", "acceptDependencies", "hasInstallScript"],
];

/** The lock is of these manifests: otherwise more is to be done than to move something. */
function membersAgree(
  lock: PackageLock,
  entries: LockEntries,
  manifests: Moves["manifests"],
): boolean {
  const members = [...entries.keys()].filter(isMember);
  if (members.length !== manifests.size) return false;
  return members.every((path) => {
    const text = manifests.get(path);
    const entry = entries.get(path);
    if (text === undefined || !entry) return false;
    const manifest = JSON.parse(withoutMark(text).text) as Readonly<Record<string, unknown>>;
    const name = path === "" ? lock.name : (entry.name ?? path.slice(path.lastIndexOf("/") + 1));
    return (
      manifest.overrides === undefined &&
      manifest.bundledDependencies === undefined &&
      (manifest.name === name || (path === "" && manifest.name === undefined)) &&
      MEMBER_FIELDS.every((field) => isDeepStrictEqual(said(manifest[field]), said(entry[field])))
    );
  });
}

/** Undefined for an empty value. */
const said = (value: unknown): unknown =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0
    ? undefined
    : value || undefined;

function movedEntries(
  entries: LockEntries,
  { requirements, documents }: Moves,
): ReadonlyMap<string, NpmLockEntry> | undefined {
  const moved = new Map<string, NpmLockEntry>();
  for (const [name, [before, after]] of documents) {
    const path = `node_modules/${name}`;
    const entry = entries.get(path);
    const own = requirements.filter(({ declaredAs }) => declaredAs === name);
    const isPlain =
      entry !== undefined &&
      own.length > 0 &&
      own.every(
        ({ member, version, requirement }) =>
          version === after.version &&
          fits(version, requirement) === true &&
          answering(entries, member, name) === path,
      ) &&
      isAlone(entries, path, name) &&
      semver.valid(entry.version) !== null &&
      semver.gt(String(after.version), String(entry.version));
    const next = isPlain ? movedEntry(entry, before, after) : undefined;
    if (!next) return undefined;
    moved.set(path, next);
  }
  return requirements.every(({ declaredAs }) => documents.has(declaredAs)) ? moved : undefined;
}

/** The package has one copy without nested packages, so nothing else can move. */
function isAlone(entries: LockEntries, path: string, name: string): boolean {
  for (const [other, entry] of entries) {
    if (other !== path && (other.endsWith(path) || entry.name === name)) return false;
    if (other.startsWith(`${path}/`)) return false;
  }
  return entries.get(path)?.name === undefined;
}

/** The members with what they ask for now. */
function updatedMembers(
  entries: LockEntries,
  requirements: readonly LockRequirement[],
): ReadonlyMap<string, NpmLockEntry> {
  const members = new Map<string, NpmLockEntry>();
  for (const { member, section, declaredAs, requirement } of requirements) {
    const entry = members.get(member) ?? entries.get(member);
    const specs = entry?.[section] as Readonly<Record<string, string>> | undefined;
    if (!entry || specs?.[declaredAs] === undefined) continue;
    members.set(member, { ...entry, [section]: { ...specs, [declaredAs]: requirement } });
  }
  return members;
}

/**
 * Is every entry reachable, every requirement locked, and does every edge fit that npm would check: those of members, and those from
 * and to moved packages?
 */
function allFits(
  entries: LockEntries,
  moved: ReadonlyMap<string, NpmLockEntry>,
  withPeers: boolean,
): boolean {
  const reached = new Set([...entries.keys()].filter(isMember));
  for (const path of reached) {
    const entry = entries.get(path);
    if (!entry) return false;
    const isLookedAt = isMember(path) || moved.has(path);
    for (const edge of edgesOf(path, entry, withPeers)) {
      const to = answering(entries, path, edge.name);
      if (to === undefined) {
        if (!edge.optional || (isLookedAt && !edge.peer)) return false;
        continue;
      }
      if ((isLookedAt || moved.has(to)) && !isFitting(edge, entries.get(to), moved.has(to)))
        return false;
      reached.add(to);
    }
  }
  return [...entries].every(([path, { link }]) => link === true || reached.has(path));
}

/** A spec that is not a range (URL, alias, tag) cannot be checked: npm has locked it, and it stays. */
function isFitting({ spec }: LockEdge, to: NpmLockEntry | undefined, hasMoved: boolean): boolean {
  if (to === undefined) return false;
  return fits(to.version ?? "", spec) ?? !hasMoved;
}

/** Undefined if the requirement is not a range. */
function fits(version: string, spec: string): boolean | undefined {
  if (spec === "" || spec === "*") return true;
  if (semver.validRange(spec, { loose: true }) === null) return undefined;
  return semver.satisfies(version, spec, { loose: true });
}
