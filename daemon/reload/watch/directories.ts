/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { found, splitPattern } from "./pattern.js";
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
      const { files, directories: below, links } = await found(each);
      for (const directory of below) if (directories.size < DIRECTORIES) directories.add(directory);
      // Plain files of one directory lead to the same place.
      const ways = new Set<string>();
      for (const [path, reach] of files) ways.add(reach === "plain" ? inside(dirname(path)) : path);
      for (const link of links) ways.add(inside(link));
      for (const way of ways) await follow(way);
    }),
  );
  return identified(directories);
}

/** A path that leads into the directory and no further. */
export const inside = (directory: string): string => join(directory, "*");

async function identified(directories: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (const directory of directories) {
    const stats = await stat(directory).catch(() => undefined);
    if (stats) known.set(directory, `${stats.dev}:${stats.ino}`);
  }
  return known;
}
