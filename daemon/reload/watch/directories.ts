/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { readdir, stat } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { filesOf, splitPattern } from "./pattern.js";
import { trailOf } from "./trail.js";

/** More than that below one pattern is a mistake, like `/**`. */
const LIMIT = 4_096;

/** By real path, with what tells a directory from a later one of the same name. */
export async function directoriesOf(
  wanted: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const directories = new Set<string>();
  for (const each of wanted) {
    const { base, rest } = await splitPattern(each);
    for (const directory of await trailOf(rest === "" ? base : join(base, "*"))) {
      directories.add(directory);
    }
    if (rest === "") continue;
    await descend(base, crossing(rest), directories);
    for (const file of await filesOf(each)) {
      for (const directory of await trailOf(file)) directories.add(directory);
    }
  }
  return identified(directories);
}

/** Alternatives that contain a slash are not worth being exact about: everything below is watched. */
const crossing = (rest: string): readonly string[] =>
  /\{[^}]*\//.test(rest) ? ["**", "*"] : rest.split("/");

/** Directories that the pattern's files can be in, or appear in. */
async function descend(
  directory: string,
  [segment = "", ...rest]: readonly string[],
  found: Set<string>,
): Promise<void> {
  if (found.size >= LIMIT || (rest.length === 0 && segment !== "**")) return;
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const deeper = segment === "**" ? [segment, ...rest] : rest;
    if (segment !== "**" && !matchesGlob(entry.name, segment)) continue;
    const path = join(directory, entry.name);
    found.add(path);
    await descend(path, deeper, found);
  }
  if (segment === "**" && rest.length > 0) await descend(directory, rest, found);
}

async function identified(directories: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (const directory of directories) {
    const stats = await stat(directory).catch(() => undefined);
    if (stats) known.set(directory, `${stats.dev}:${stats.ino}`);
  }
  return known;
}
