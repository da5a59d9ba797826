/** Finds the matches of a pattern, reading only directories that can contain some. */
import { type Dirent } from "node:fs";
import { glob } from "node:fs/promises";
import { basename, dirname, join, matchesGlob, resolve, sep } from "node:path";
import { expand } from "brace-expansion";
import {
  type FileSystem,
  fileSystemOf,
  type NetworkMounts,
  networkMounts,
  remoteFileSystem,
  TimeSlice,
} from "./file-system.js";

/** `plain`: a regular file without links in its path. `link`: reached through a symbolic link. */
export type Reach = "plain" | "link" | "unknown";

/** Files by name, by the directory they are in. */
export type FilesByDirectory = ReadonlyMap<string, ReadonlyMap<string, Reach>>;

export interface MatchedFiles {
  readonly files: FilesByDirectory;
  /** Directories below the base that may contain matches. */
  readonly directories: Iterable<string>;
  /** Symbolic links on their paths. */
  readonly links: Iterable<string>;
  /** Directories on local file systems. */
  readonly near: Iterable<string>;
}

/** Hooks of a walk. */
export interface Visit {
  /** Called with directories before they are read. */
  readonly enter?: ((directories: readonly string[]) => Promise<unknown>) | undefined;
  /** Yields to other work. */
  readonly yieldTurn?: (() => Promise<unknown>) | undefined;
}

/** The path of an entry of a directory. */
export const pathIn = (directory: string, name: string): string =>
  directory === sep ? sep + name : directory + sep + name;

/**
 * As shells find them: wildcards match neither a name that begins with a dot nor, on the way, a symbolic link; a name
 * written out, in braces too, matches both.
 */
export async function walk(
  base: string,
  pattern: string,
  visit: Visit & { readonly disk: FileSystem },
): Promise<MatchedFiles> {
  const walker = new Walker(visit);
  for (const alternative of expand(pattern, { max: MOST_ALTERNATIVES })) {
    const segments = alternative.split("/").filter((segment) => segment !== "" && segment !== ".");
    if (segments.includes("..")) {
      await walker.walk(base, ["**"], "plain");
      return { ...(await globbed(base, pattern)), directories: walker.directories };
    }
    await walker.walk(base, segments, "plain");
  }
  return walker;
}

/** Of one pattern with braces. */
const MOST_ALTERNATIVES = 1_000;

class Walker implements MatchedFiles {
  readonly files = new Map<string, Map<string, Reach>>();
  readonly directories = new Set<string>();
  readonly links = new Set<string>();
  readonly near = new Set<string>();
  readonly #visit: Visit;
  readonly #disk: FileSystem;
  readonly #pace: TimeSlice;
  readonly #read = new Map<string, Promise<readonly Dirent[]>>();

  constructor({ disk, ...visit }: Visit & { readonly disk: FileSystem }) {
    this.#visit = visit;
    this.#disk = disk;
    this.#pace = new TimeSlice(visit.yieldTurn);
  }

  async walk(directory: string, segments: readonly string[], reach: Reach): Promise<void> {
    const [segment = "", ...rest] = segments;
    if (segment === "**") return this.#below(directory, segments, reach);
    if (!/[*?[\]{}!()]/.test(segment)) return this.#named(directory, segment, rest, reach);
    const matches = matcherOf(segment);
    const entries = await this.#entries(directory, reach);
    await this.#entered(
      directory,
      entries.filter(({ name }) => matches(name)),
      rest,
      reach,
    );
  }

  async #below(directory: string, segments: readonly string[], reach: Reach): Promise<void> {
    const [, ...rest] = segments;
    await this.walk(directory, rest.length === 0 ? ["*"] : rest, reach);
    const entries = await this.#entries(directory, reach);
    const deeper = entries.filter((entry) => !entry.name.startsWith(".") && entry.isDirectory());
    await this.#entered(directory, deeper, segments, reach);
  }

  async #entered(
    directory: string,
    entries: readonly Dirent[],
    rest: readonly string[],
    reach: Reach,
  ): Promise<void> {
    if (rest.length === 0) {
      for (const entry of entries) {
        if (entry.isDirectory()) continue;
        const own = entry.isFile() ? reach : entry.isSymbolicLink() ? "link" : "unknown";
        this.#add(directory, entry.name, own);
      }
      return;
    }
    const paths = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => pathIn(directory, name));
    for (const path of paths) this.directories.add(path);
    await this.#visit.enter?.(paths);
    const walk = (path: string) => this.walk(path, rest, reach);
    if (!this.#diskOf(reach).isNear) await Promise.all(paths.map(walk));
    else for (const path of paths) await walk(path);
  }

  async #named(
    directory: string,
    name: string,
    rest: readonly string[],
    reach: Reach,
  ): Promise<void> {
    const path = join(directory, name);
    const disk = this.#diskOf(reach);
    const stats = await disk.lstat(path);
    if (!stats) return;
    const isLink = stats.isSymbolicLink();
    if (rest.length === 0) {
      if (stats.isDirectory()) return;
      if (disk.isNear) this.near.add(directory);
      this.#add(directory, name, isLink ? "link" : stats.isFile() ? reach : "unknown");
      return;
    }
    if (isLink) this.links.add(path);
    const target = isLink ? await remoteFileSystem.stat(path) : stats;
    if (!target?.isDirectory()) return;
    if (!isLink) {
      this.directories.add(path);
      await this.#visit.enter?.([path]);
    }
    await this.walk(path, rest, isLink ? "link" : reach);
  }

  #add(directory: string, name: string, reach: Reach): void {
    const names = this.files.get(directory);
    if (names) names.set(name, reach);
    else this.files.set(directory, new Map([[name, reach]]));
  }

  /** A symbolic link may lead anywhere. */
  #diskOf(reach: Reach): FileSystem {
    return reach === "link" ? remoteFileSystem : this.#disk;
  }

  #entries(directory: string, reach: Reach): Promise<readonly Dirent[]> {
    const entries = this.#read.get(directory) ?? this.#list(directory, this.#diskOf(reach));
    this.#read.set(directory, entries);
    return entries;
  }

  async #list(directory: string, disk: FileSystem): Promise<readonly Dirent[]> {
    if (!disk.isNear) return disk.list(directory);
    this.near.add(directory);
    await this.#pace.step();
    return disk.list(directory);
  }
}

/** Patterns with `..` are not worth being exact about: everything below is watched. */
async function globbed(base: string, pattern: string): Promise<Omit<MatchedFiles, "directories">> {
  const entries = await Array.fromAsync(glob(pattern, { cwd: base, withFileTypes: true })).catch(
    () => [],
  );
  const files = new Map<string, Map<string, Reach>>();
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const directory = resolve(entry.parentPath);
    const names = files.get(directory) ?? new Map();
    files.set(directory, names.set(entry.name, "unknown"));
  }
  return { files, links: [], near: [] };
}

const WILDCARD = /[*?[\]{}]/;

/** A pattern split into its base directory and the rest. */
interface SplitPattern {
  readonly base: string;
  /** Relative to `base`; empty for a literal path. */
  readonly rest: string;
  readonly disk: FileSystem;
}

/** An existing path wins over a pattern: directories may be named `[old]`. */
export async function splitPattern(
  pattern: string,
  mounts: Promise<NetworkMounts>,
): Promise<SplitPattern> {
  const segments = resolve(pattern).split(sep).slice(1);
  const wild = segments.findIndex((segment) => WILDCARD.test(segment));
  if (wild < 0) return { base: pattern, rest: "", disk: await fileSystemOf(pattern, mounts) };
  let base: string = sep + segments.slice(0, wild).join(sep);
  const disk = await fileSystemOf(base, mounts);
  for (const [index, segment] of segments.entries()) {
    if (index < wild) continue;
    const next = join(base, segment);
    if (WILDCARD.test(segment) && !(await disk.lstat(next))) {
      return { base, rest: segments.slice(index).join("/"), disk };
    }
    base = next;
  }
  return { base, rest: "", disk };
}

/** The files that match an absolute pattern, sorted; for a path without wildcards the path itself, even if missing. */
export async function filesMatching(pattern: string): Promise<readonly string[]> {
  const { files } = await matchedFiles(pattern);
  return [...files]
    .flatMap(([directory, names]) => [...names.keys()].map((name) => pathIn(directory, name)))
    .sort();
}

/** The current matches of an absolute pattern. */
export async function matchedFiles(
  pattern: string,
  mounts: Promise<NetworkMounts> = networkMounts(),
  visit?: Visit,
): Promise<MatchedFiles> {
  return matchedBelow(await splitPattern(pattern, mounts), visit);
}

/** The current matches, and the directories and links that determine them. */
export async function matchedBelow(
  { base, rest, disk }: SplitPattern,
  visit?: Visit,
): Promise<MatchedFiles> {
  if (rest !== "") return walk(base, rest, { ...visit, disk });
  const directory = dirname(base);
  const files = new Map([[directory, new Map([[basename(base), "unknown" as const]])]]);
  return { files, directories: [], links: [], near: disk.isNear ? [directory] : [] };
}

/** Patterns simple enough to compile once. */
const SIMPLE = /^[\w.~@%=, *?-]+$/;

/** As `matchesGlob`, but compiled once: parsing the pattern for 10,000 names is most of the work. */
export function matcherOf(segment: string): (name: string) => boolean {
  const isSimple = process.platform === "linux" && SIMPLE.test(segment) && !segment.includes("**");
  if (!isSimple || segment.startsWith("..")) return (name) => matchesGlob(name, segment);
  // A wildcard does not match a leading dot.
  const begin = /^[*?]/.test(segment) ? "(?!\\.)" : "";
  const parts = segment.replaceAll(/[.]/g, "\\.").replaceAll("?", "[^]").replaceAll("*", "[^]*");
  const expression = new RegExp(`^${begin}${parts}$`);
  return (name) => expression.test(name);
}
