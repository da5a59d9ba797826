/** Which directories to watch for a list of paths and patterns: as few as will do. */
import { join } from "node:path";
import type { FileSystem } from "./file-system.js";
import { type MatchedFiles, pathIn } from "./glob-walk.js";
import { networkMounts } from "./mounts.js";
import { matchedBelow, splitPattern } from "./pattern.js";
import { type PathKinds, symlinkChain } from "./symlink-chain.js";

/** More than that below the patterns is a mistake, like `/**`. What is beyond is not watched. */
export const DIRECTORIES = 4_096;

/** Watches a directory from now on. Resolves to whether it was not watched before. */
export type Enter = (directory: string, disk: FileSystem) => Promise<boolean>;

export interface Surveyed {
  /** By real path. */
  readonly directories: ReadonlySet<string>;
  /** What was found on the way, in the order of what is wanted; `undefined` where it may be different by now. */
  readonly found: readonly MatchedFiles[] | undefined;
}

/**
 * Looks into a directory only when it is watched. Which directories lead to a path is known only when it has been
 * looked at; if they were not watched then, it has to be looked at again.
 */
export async function survey(wanted: readonly string[], enter: Enter): Promise<Surveyed> {
  const mounts = networkMounts();
  const known: PathKinds = new Map();
  const entered = new Map<string, Promise<boolean>>();
  const enterAll = async (directories: Iterable<string>, disk: FileSystem): Promise<boolean> => {
    const entering = [...directories].map((directory) => {
      const once = entered.get(directory) ?? enter(directory, disk);
      entered.set(directory, once);
      return once;
    });
    return (await Promise.all(entering)).some(Boolean);
  };
  const follow = async (path: string, disk: FileSystem): Promise<boolean> =>
    enterAll(await symlinkChain(path, known, disk), disk);
  const splits = await Promise.all(wanted.map((each) => splitPattern(each, mounts)));
  const ways = splits.map(({ base, rest, disk }) =>
    follow(rest === "" ? base : inside(base), disk),
  );
  const surveyed = (found: readonly MatchedFiles[] | undefined): Surveyed => ({
    directories: new Set(entered.keys()),
    found,
  });
  if ((await Promise.all(ways)).some(Boolean)) return surveyed(undefined);

  const found = await Promise.all(
    splits.map(async (split) => {
      const { disk } = split;
      const below = await matchedBelow(split, {
        enter: (paths) => enterAll(paths.slice(0, Math.max(0, DIRECTORIES - entered.size)), disk),
      });
      const others = split.rest === "" ? [] : [...[...below.links].map(inside), ...waysTo(below)];
      const isNew = await Promise.all(others.map((path) => follow(path, disk)));
      return { below, isNew: isNew.some(Boolean) };
    }),
  );
  const isStale = found.some(({ isNew }) => isNew);
  return surveyed(isStale ? undefined : found.map(({ below }) => below));
}

/** What does not lead where its directory leads. */
function waysTo({ files }: MatchedFiles): readonly string[] {
  const ways: string[] = [];
  for (const [directory, names] of files) {
    for (const [name, reach] of names) if (reach !== "plain") ways.push(pathIn(directory, name));
  }
  return ways;
}

/** A path that leads into the directory and no further. */
export const inside = (directory: string): string => join(directory, "*");
