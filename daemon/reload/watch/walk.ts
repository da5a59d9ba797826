/** What a pattern matches below a directory, by walking only where it can match. */
import type { Dirent } from "node:fs";
import { glob, lstat, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { matcherOf } from "./segment.js";

/** `plain`: a file in directories that are none but themselves. `link`: it is reached through a symbolic link. */
export type Reach = "plain" | "link" | "unknown";

export interface Found {
  readonly files: ReadonlyMap<string, Reach>;
  /** Below the pattern's base, which matching files can be in or appear in. */
  readonly directories: Iterable<string>;
  /** Symbolic links on the way to them. */
  readonly links: Iterable<string>;
}

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
  readonly files = new Map<string, Reach>();
  readonly directories = new Set<string>();
  readonly links = new Set<string>();
  readonly #read = new Map<string, Promise<readonly Dirent[]>>();

  async walk(directory: string, segments: readonly string[], reach: Reach): Promise<void> {
    const [segment = "", ...rest] = segments;
    if (segment === "**") return this.#below(directory, segments, reach);
    if (!/[*?[\]{}!()]/.test(segment)) return this.#named(join(directory, segment), rest, reach);
    const matches = matcherOf(segment);
    for (const entry of await this.#entries(directory)) {
      if (matches(entry.name)) await this.#entered(directory, entry, rest, reach);
    }
  }

  async #below(directory: string, segments: readonly string[], reach: Reach): Promise<void> {
    const [, ...rest] = segments;
    await this.walk(directory, rest.length === 0 ? ["*"] : rest, reach);
    for (const entry of await this.#entries(directory)) {
      if (entry.name.startsWith(".") || !entry.isDirectory()) continue;
      await this.#entered(directory, entry, segments, reach);
    }
  }

  async #entered(
    directory: string,
    entry: Dirent,
    rest: readonly string[],
    reach: Reach,
  ): Promise<void> {
    const path = join(directory, entry.name);
    if (rest.length === 0) {
      if (!entry.isDirectory()) this.files.set(path, entry.isSymbolicLink() ? "link" : reach);
      return;
    }
    if (!entry.isDirectory()) return;
    this.directories.add(path);
    await this.walk(path, rest, reach);
  }

  async #named(path: string, rest: readonly string[], reach: Reach): Promise<void> {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) return;
    const isLink = stats.isSymbolicLink();
    if (rest.length === 0) {
      if (!stats.isDirectory()) this.files.set(path, isLink ? "link" : reach);
      return;
    }
    if (isLink) this.links.add(path);
    const target = isLink ? await stat(path).catch(() => undefined) : stats;
    if (!target?.isDirectory()) return;
    if (!isLink) this.directories.add(path);
    await this.walk(path, rest, isLink ? "link" : reach);
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
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => [resolve(entry.parentPath, entry.name), "unknown"] as const);
  return { files: new Map(files), directories: all.directories, links: [] };
}
