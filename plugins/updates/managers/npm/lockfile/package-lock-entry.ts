/** The packages of a package-lock.json as a graph: requirements of each entry, and the entries that satisfy them. */
import { isDeepStrictEqual } from "node:util";
import type { VersionDocument } from "../registry/packument.js";

type Specs = Readonly<Record<string, string>>;

/** A package in the lock, with its unknown fields. */
export interface NpmLockEntry {
  readonly version?: string;
  /** Unless it is the last segment. */
  readonly name?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Specs;
  readonly devDependencies?: Specs;
  readonly optionalDependencies?: Specs;
  readonly peerDependencies?: Specs;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

export type LockEntries = ReadonlyMap<string, NpmLockEntry>;

export interface LockEdge {
  readonly name: string;
  readonly spec: string;
  /** Optional. */
  readonly optional: boolean;
  /** A peer dependency. */
  readonly peer: boolean;
}

const NODE_MODULES = "node_modules/";

/** A member of the workspace or the root, not an installed package. */
export const isMember = (path: string): boolean => !path.includes(NODE_MODULES);

export function edgesOf(
  path: string,
  entry: NpmLockEntry,
  withPeers: boolean,
): readonly LockEdge[] {
  const edges = new Map<string, LockEdge>();
  const add = (specs: Specs | undefined, optional: boolean): void => {
    for (const [name, spec] of Object.entries(specs ?? {}))
      edges.set(name, { name, spec, optional, peer: false });
  };
  if (withPeers)
    for (const [name, spec] of Object.entries(entry.peerDependencies ?? {})) {
      const optional = entry.peerDependenciesMeta?.[name]?.optional === true;
      edges.set(name, { name, spec, optional, peer: true });
    }
  if (isMember(path)) add(entry.devDependencies, false);
  add(entry.dependencies, false);
  add(entry.optionalDependencies, true);
  return [...edges.values()];
}

/** The path of the entry that `name` means at `from`, found as Node finds it; links are followed. */
export function answering(entries: LockEntries, from: string, name: string): string | undefined {
  for (let at = from; ; at = above(at)) {
    const path = at === "" ? NODE_MODULES + name : `${at}/${NODE_MODULES}${name}`;
    const entry = entries.get(path);
    if (entry?.link) return entry.resolved;
    if (entry) return path;
    if (at === "") return undefined;
  }
}

/** `node_modules/a/node_modules/b` → `node_modules/a`; `packages/a` → `packages`. */
function above(path: string): string {
  const cut = path.lastIndexOf(NODE_MODULES);
  return path.slice(0, Math.max(cut === -1 ? path.lastIndexOf("/") : cut - 1, 0));
}

/** Fields that influence npm's entry: they must be equal in both versions, or npm resolves. */
const interpreted: readonly string[] = [
  ...["name", "bin", "directories", "funding", "os", "cpu", "libc", "workspaces", "gypfile"],
  ...["bundleDependencies", "bundledDependencies", "acceptDependencies", "hasInstallScript"],
  ...["optionalDependencies", "peerDependencies", "peerDependenciesMeta"],
];

/** Undefined if the change affects more than this. */
export function movedEntry(
  entry: NpmLockEntry,
  before: VersionDocument,
  after: VersionDocument,
): NpmLockEntry | undefined {
  const { integrity, tarball } = after.dist ?? {};
  const isSame =
    entry.version === before.version &&
    entry.integrity === before.dist?.integrity &&
    (entry.resolved === undefined || entry.resolved === before.dist?.tarball) &&
    interpreted.every((field) => isDeepStrictEqual(before[field], after[field])) &&
    isDeepStrictEqual(installScripts(before), installScripts(after)) &&
    !(before._hasShrinkwrap || after._hasShrinkwrap || entry.inBundle || entry.extraneous);
  const isKnown =
    typeof integrity === "string" &&
    /^sha512-[A-Za-z0-9+/]+=*$/.test(integrity) &&
    typeof tarball === "string" &&
    typeof after.version === "string" &&
    !isText(after.deprecated);
  const license = licenses(entry, before, after);
  const dependencies = dependenciesOf(after);
  const engines = enginesOf(entry, before, after);
  const isWhole = isDeepStrictEqual(names(dependenciesOf(before)), names(entry.dependencies ?? {}));
  const isAlike = isDeepStrictEqual(names(dependencies), names(entry.dependencies ?? {}));
  if (!isSame || !isKnown || !isWhole || !isAlike || !license || !engines) return undefined;
  const { deprecated: _, ...kept } = entry;
  return {
    ...kept,
    version: after.version as string,
    ...(entry.resolved === undefined ? {} : { resolved: tarball }),
    integrity,
    ...license,
    ...(entry.dependencies === undefined ? {} : { dependencies: inOrder(dependencies) }),
    ...engines,
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const installScripts = ({ scripts }: VersionDocument): readonly unknown[] =>
  ["preinstall", "install", "postinstall"].map((name) =>
    Boolean((scripts as Record<string, unknown> | undefined)?.[name]),
  );

/** Registries list what is optional among the others, too; lock files do not. */
function dependenciesOf(document: VersionDocument): Readonly<Record<string, string>> {
  const optional = (document.optionalDependencies ?? {}) as Record<string, string>;
  const all = (document.dependencies ?? {}) as Record<string, string>;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in optional)));
}

const names = (map: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(map).sort();

const inOrder = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map).sort(([one], [other]) => one.localeCompare(other, "en")));

/** Empty: unchanged. */
type Taken = Partial<Pick<NpmLockEntry, "license" | "engines">>;

function licenses(
  entry: NpmLockEntry,
  before: VersionDocument,
  after: VersionDocument,
): Taken | undefined {
  if (isDeepStrictEqual(before.license, after.license)) {
    return isText(before.license) === (entry.license !== undefined) ? {} : undefined;
  }
  const isPlain = isText(after.license) && entry.license === before.license;
  return isPlain ? { license: after.license } : undefined;
}

function enginesOf(
  entry: NpmLockEntry,
  before: VersionDocument,
  after: VersionDocument,
): Taken | undefined {
  if (isDeepStrictEqual(before.engines, after.engines)) return {};
  const { engines } = after;
  return isMap(engines) && isDeepStrictEqual(entry.engines, before.engines)
    ? { engines: inOrder(engines) }
    : undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every(isText);
