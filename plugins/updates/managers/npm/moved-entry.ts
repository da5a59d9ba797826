/**
 * The entry of a package in package-lock.json after the package has moved to another version. What both versions say alike stays as
 * npm has written it; what differs is only taken over where npm takes it over as it is.
 */
import { isDeepStrictEqual } from "node:util";
import type { NpmLockEntry } from "./lock-graph.js";
import type { VersionDocument } from "./version-document.js";

/** Fields that npm reads something out of: the same in both versions, or it is npm's turn. */
const interpreted: readonly string[] = [
  ...["name", "bin", "directories", "funding", "os", "cpu", "libc", "workspaces", "gypfile"],
  ...["bundleDependencies", "bundledDependencies", "acceptDependencies", "hasInstallScript"],
  ...["optionalDependencies", "peerDependencies", "peerDependenciesMeta"],
];

/** `undefined` where the difference is more than this can carry over. */
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

/** Empty: it stays. */
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
