/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { found, splitPattern } from "./pattern.js";
import { type Known, trailOf } from "./trail.js";
import { type Found, pathIn, type Reach } from "./walk.js";

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
      await Promise.all([...links].map((link) => follow(inside(link))));
      await Promise.all([...files].flatMap(waysTo).map(follow));
      return here;
    }),
  );
  return { directories: await identified(directories), found: all };
}

/** Plain files of one directory lead to the same place. */
function waysTo([directory, names]: readonly [string, ReadonlyMap<string, Reach>]) {
  const others = [...names].filter(([, reach]) => reach !== "plain");
  const ways = others.map(([name]) => pathIn(directory, name));
  return others.length < names.size ? [inside(directory), ...ways] : ways;
}

/** A path that leads into the directory and no further. */
export const inside = (directory: string): string => join(directory, "*");

async function identified(directories: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const known = await Promise.all(
    [...directories].map(async (directory) => {
      const stats = await stat(directory).catch(() => undefined);
      return stats ? ([[directory, `${stats.dev}:${stats.ino}`]] as const) : [];
    }),
  );
  return new Map(known.flat());
}
