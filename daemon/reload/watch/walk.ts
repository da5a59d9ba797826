/** What a pattern matches below a directory, by walking only where it can match. */
import type { Dirent } from "node:fs";
import { glob, lstat, readdir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { matcherOf } from "./segment.js";

/** `plain`: a file in directories that are none but themselves. `link`: it is reached through a symbolic link. */
export type Reach = "plain" | "link" | "unknown";

/** Files by name, by the directory they are in. */
export type Places = ReadonlyMap<string, ReadonlyMap<string, Reach>>;

export interface Found {
  readonly files: Places;
  /** Below the pattern's base, which matching files can be in or appear in. */
  readonly directories: Iterable<string>;
  /** Symbolic links on the way to them. */
  readonly links: Iterable<string>;
}

/** The path of what has this name in a directory, both as the system says them. */
export const pathIn = (directory: string, name: string): string =>
  directory === sep ? sep + name : directory + sep + name;

/**
 * As Node's own `glob` finds them: wildcards match neither a name that begins with a dot nor, on the way, a symbolic
 * link; a name written out matches both.
 */
export async function walk(base: string, pattern: string): Promise<Found> {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (/\{[^}]*\//.test(pattern) || segments.includes("..")) return everythingBelow(base, pattern);
  const walker = new Walker();
  await walker.walk(base, segments, "plain");
  return walker;
}

class Walker implements Found {
  readonly files = new Map<string, Map<string, Reach>>();
  readonly directories = new Set<string>();
  readonly links = new Set<string>();
  readonly #read = new Map<string, Promise<readonly Dirent[]>>();

  async walk(directory: string, segments: readonly string[], reach: Reach): Promise<void> {
    const [segment = "", ...rest] = segments;
    if (segment === "**") return this.#below(directory, segments, reach);
    if (!/[*?[\]{}!()]/.test(segment)) return this.#named(directory, segment, rest, reach);
    const matches = matcherOf(segment);
    const entries = await this.#entries(directory);
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
    const entries = await this.#entries(directory);
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
        this.#add(directory, entry.name, entry.isSymbolicLink() ? "link" : reach);
      }
      return;
    }
    await Promise.all(
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => {
          const path = pathIn(directory, name);
          this.directories.add(path);
          return this.walk(path, rest, reach);
        }),
    );
  }

  async #named(
    directory: string,
    name: string,
    rest: readonly string[],
    reach: Reach,
  ): Promise<void> {
    const path = join(directory, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) return;
    const isLink = stats.isSymbolicLink();
    if (rest.length === 0) {
      if (!stats.isDirectory()) this.#add(directory, name, isLink ? "link" : reach);
      return;
    }
    if (isLink) this.links.add(path);
    const target = isLink ? await stat(path).catch(() => undefined) : stats;
    if (!target?.isDirectory()) return;
    if (!isLink) this.directories.add(path);
    await this.walk(path, rest, isLink ? "link" : reach);
  }

  #add(directory: string, name: string, reach: Reach): void {
    const names = this.files.get(directory);
    if (names) names.set(name, reach);
    else this.files.set(directory, new Map([[name, reach]]));
  }

  #entries(directory: string): Promise<readonly Dirent[]> {
    const entries =
      this.#read.get(directory) ?? readdir(directory, { withFileTypes: true }).catch(() => []);
    this.#read.set(directory, entries);
    return entries;
  }
}

/** Patterns whose parts are no segments are not worth being exact about: everything below is watched. */
async function everythingBelow(base: string, pattern: string): Promise<Found> {
  const all = new Walker();
  await all.walk(base, ["**"], "plain");
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
  return { files, directories: all.directories, links: [] };
}
