/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { readdir, stat } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { filesOf, splitPattern } from "./pattern.js";
import { type Known, trailOf } from "./trail.js";

/** More than that below the patterns is a mistake, like `/**`. What is beyond is not watched. */
export const DIRECTORIES = 4_096;

/** By real path, with what tells a directory from a later one of the same name. */
export async function directoriesOf(
  wanted: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const directories = new Set<string>();
  const known: Known = new Map();
  const follow = async (path: string): Promise<void> => {
    for (const directory of await trailOf(path, known)) directories.add(directory);
  };
  await Promise.all(
    wanted.map(async (each) => {
      const { base, rest } = await splitPattern(each);
      await follow(rest === "" ? base : join(base, "*"));
      if (rest === "") return;
      await descend(base, crossing(rest), directories);
      await Promise.all((await filesOf(each)).map(follow));
    }),
  );
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
  if (found.size >= DIRECTORIES || (rest.length === 0 && segment !== "**")) return;
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
