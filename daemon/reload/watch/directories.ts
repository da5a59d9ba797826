/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { found, splitPattern } from "./pattern.js";
import { type Known, trailOf } from "./trail.js";
import { type Found, pathIn } from "./walk.js";

/** More than that below the patterns is a mistake, like `/**`. What is beyond is not watched. */
export const DIRECTORIES = 4_096;

export interface Surveyed {
  /** Directories by real path, with what tells one from a later one of the same name. */
  readonly directories: ReadonlyMap<string, string>;
  /** What was found on the way, in the order of what is wanted. */
  readonly found: readonly Found[];
}

export async function survey(wanted: readonly string[]): Promise<Surveyed> {
  const directories = new Set<string>();
  const known: Known = new Map();
  const follow = async (path: string): Promise<void> => {
    for (const directory of await trailOf(path, known)) directories.add(directory);
  };
  const all = await Promise.all(
    wanted.map(async (each) => {
      const split = await splitPattern(each);
      const { base, rest } = split;
      await follow(rest === "" ? base : inside(base));
      const here = await found(each, split);
      if (rest === "") return here;
      const { files, directories: below, links } = here;
      for (const directory of below) if (directories.size < DIRECTORIES) directories.add(directory);
      for (const link of links) await follow(inside(link));
      for (const [directory, names] of files) {
        const reaches = new Set(names.values());
        // Plain files of one directory lead to the same place.
        if (reaches.delete("plain")) await follow(inside(directory));
        if (reaches.size === 0) continue;
        for (const [name, reach] of names) {
          if (reach !== "plain") await follow(pathIn(directory, name));
        }
      }
      return here;
    }),
  );
  return { directories: await identified(directories), found: all };
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
