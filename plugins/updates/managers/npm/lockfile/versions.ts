/** Reads the locked versions of npm, pnpm, Yarn and bun. */

import { posix } from "node:path";
import { parse } from "yaml";
import { withoutMark } from "../../../text/text.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { within } from "../../paths.js";
import { bunLockVersions } from "./bun.js";
import { readYarnClassic } from "./yarn-classic.js";

export interface LockedVersions {
  /** The version a member (`` or `packages/a`) gets for a dependency; undefined where the lock does not say. */
  version(member: string, declared: string, name: string, requirement: string): string | undefined;
  /** All packages from registries, once per version. */
  readonly all: readonly {
    readonly name: string;
    readonly version: string;
    readonly development: boolean;
  }[];
}

export interface NpmLock extends LockedVersions {
  readonly file: RepositoryPath;
}

/** Lock files by priority: the shrinkwrap wins over package-lock.json, as in npm. */
const readers: ReadonlyArray<readonly [name: string, read: (text: string) => LockedVersions]> = [
  ["npm-shrinkwrap.json", packageLockVersions],
  ["package-lock.json", packageLockVersions],
  ["pnpm-lock.yaml", pnpmLockVersions],
  ["yarn.lock", yarnLockVersions],
  ["bun.lock", bunLockVersions],
];

export const lockNames: readonly string[] = readers.map(([name]) => name);

/** The locks that could be read, and complaints about the others. */
export function readNpmLocks({ directory, files }: ProjectSources): {
  readonly locks: readonly NpmLock[];
  readonly broken: readonly { readonly file: string; readonly why: string }[];
} {
  const locks: NpmLock[] = [];
  const broken: { file: string; why: string }[] = [];
  for (const [name, read] of readers) {
    const file = within(directory, name);
    const text = files.get(file);
    if (text === undefined) continue;
    try {
      locks.push({ file, ...read(text) });
    } catch (error) {
      broken.push({
        file,
        why: `${file} cannot be read: ${(error as Error).message.split("\n")[0]}.`,
      });
    }
  }
  return { locks, broken };
}

interface Entry {
  readonly version?: string;
  readonly name?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly resolved?: string;
}
interface OldEntry extends Entry {
  readonly dependencies?: Readonly<Record<string, OldEntry>>;
}
interface PackageLock {
  readonly packages?: Readonly<Record<string, Entry>>;
  readonly dependencies?: Readonly<Record<string, OldEntry>>;
}

const NODE_MODULES = "node_modules/";

function packageLockVersions(text: string): LockedVersions {
  const lock = JSON.parse(withoutMark(text).text) as PackageLock;
  const packages = new Map(Object.entries(lock.packages ?? flattened(lock.dependencies ?? {}, "")));
  return {
    version: (member, declared) => {
      for (let at = member; ; at = posix.dirname(at) === "." ? "" : posix.dirname(at)) {
        const entry = packages.get(posix.join(at, NODE_MODULES + declared));
        if (entry) return entry.link ? undefined : entry.version;
        if (at === "") return undefined;
      }
    },
    all: [...packages]
      .filter(([path, { link, version, resolved }]) => {
        const registry = resolved === undefined || /^https?:/.test(resolved);
        return path.includes(NODE_MODULES) && !link && version !== undefined && registry;
      })
      .map(([path, { name, version, dev }]) => ({
        name: name ?? path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length),
        version: version as string,
        development: dev === true,
      })),
  };
}

/** Version 1 nests what versions 2 and 3 write as paths. */
function flattened(
  dependencies: Readonly<Record<string, OldEntry>>,
  above: string,
): Readonly<Record<string, Entry>> {
  return Object.fromEntries(
    Object.entries(dependencies).flatMap(([declared, { dependencies: inner, ...entry }]) => {
      const path = `${above}${NODE_MODULES}${declared}`;
      return [[path, renamed(entry)], ...Object.entries(flattened(inner ?? {}, `${path}/`))];
    }),
  );
}

/** `npm:other@1.2.3` is how version 1 writes another name. */
function renamed(entry: OldEntry): Entry {
  const [, name, version] = /^npm:(.+)@([^@]+)$/.exec(entry.version ?? "") ?? [];
  return name === undefined || version === undefined ? entry : { ...entry, name, version };
}

type Locked = string | { readonly version?: string };
type Sections = Readonly<Record<string, Readonly<Record<string, Locked>> | undefined>>;
interface PnpmLock extends Sections {}
interface Whole {
  readonly importers?: Readonly<Record<string, Sections>>;
  readonly packages?: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** pnpm 11 and later may write a document about pnpm itself before the project's. */
export const projectOf = (text: string): string => text.split(/^---[ \t]*\r?$/m).at(-1) ?? text;

const SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"];

export function pnpmLockVersions(text: string): LockedVersions {
  const lock = (parse(projectOf(withoutMark(text).text)) ?? {}) as Whole & PnpmLock;
  const seen = new Map<string, { name: string; version: string; development: boolean }>();
  for (const [key, { dev }] of Object.entries(lock.packages ?? {})) {
    const [, name, version] = /^\/?(@[^/]+\/[^/@]+|[^/@]+)[@/](\d[^(_]*)/.exec(key) ?? [];
    if (name === undefined || version === undefined) continue;
    seen.set(`${name}@${version}`, { name, version, development: dev === true });
  }
  return {
    version: (member, declared) => {
      const sections =
        lock.importers?.[member === "" ? "." : member] ?? (member === "" ? lock : {});
      for (const section of SECTIONS) {
        const locked = (sections as Sections)[section]?.[declared];
        if (locked !== undefined) return bare(typeof locked === "string" ? locked : locked.version);
      }
      return undefined;
    },
    all: [...seen.values()],
  };
}

/** `1.2.3(react@18.0.0)`, `1.2.3_react@17.0.0`, `/foo/1.2.3`, `foo@1.2.3` → `1.2.3`. */
function bare(locked: string | undefined): string | undefined {
  const [plain = ""] = (locked ?? "").split(/[(_]/);
  return /(?:^|[@/])(\d+\.\d+\.\d+[^@/]*)$/.exec(plain)?.[1];
}

interface BerryEntry {
  readonly version?: string | number;
  readonly resolution?: string;
  readonly linkType?: string;
}

export function yarnLockVersions(text: string): LockedVersions {
  return isBerry(text) ? berryVersions(text) : classicVersions(text);
}

export const isBerry = (text: string): boolean => /^__metadata:/m.test(text);

function classicVersions(text: string): LockedVersions {
  const entries = readYarnClassic(text);
  const byPattern = new Map(
    entries.flatMap((entry) => entry.patterns.map((pattern) => [pattern, entry] as const)),
  );
  return {
    version: (_member, declared, name, requirement) =>
      (
        byPattern.get(`${declared}@${requirement}`) ??
        byPattern.get(`${declared}@npm:${name}@${requirement}`)
      )?.version,
    all: entries
      .filter(({ resolved }) => resolved === undefined || /^https?:.*\.tgz/.test(resolved))
      .map(({ name, version }) => ({ name, version, development: false })),
  };
}

function berryVersions(text: string): LockedVersions {
  const lock = (parse(withoutMark(text).text) ?? {}) as Readonly<Record<string, BerryEntry>>;
  const byPattern = new Map<string, BerryEntry>();
  for (const [keys, entry] of Object.entries(lock))
    for (const key of keys.split(", ")) byPattern.set(key, entry);
  return {
    version: (_member, declared, name, requirement) => {
      const entry =
        byPattern.get(`${declared}@npm:${requirement}`) ??
        byPattern.get(`${declared}@npm:${name}@${requirement}`) ??
        byPattern.get(`${declared}@${requirement}`);
      return entry?.linkType === "soft" || entry === undefined ? undefined : String(entry.version);
    },
    all: Object.values(lock).flatMap(({ resolution = "", version }) => {
      const [, name] = /^(@?[^@]+)@npm:/.exec(resolution) ?? [];
      return name === undefined ? [] : [{ name, version: String(version), development: false }];
    }),
  };
}
