/** What the wanted files contained at one time, and what may have become different since. */
import { lstat } from "node:fs/promises";
import { basename, matchesGlob } from "node:path";
import type { FileSet } from "../../plugin-api/world.js";
import { inside } from "./directories.js";
import type { Happened } from "./dirt.js";
import { found } from "./pattern.js";
import type { Reading } from "./read-file.js";
import { readAll, type Wanted } from "./read-set.js";
import { type Known, trailOf } from "./trail.js";
import { type Found, type Places, pathIn, type Reach } from "./walk.js";

export interface Look {
  /** In the order of their paths. */
  readonly set: FileSet;
  /** In the same order. */
  readonly readings: readonly Reading[];
  /** Where in that order a file is, by name, by the directory it is in. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The directories in which nothing matters but what is directly in them. */
  readonly plain: ReadonlySet<string>;
  /** Last parts of what is wanted: names without wildcards, and patterns. */
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

/**
 * A whole look. Files that say of themselves that they are the same as in `before` are not read again. `there` is what
 * the wanted files are, for who has just found it out.
 */
export async function lookAt(
  wanted: readonly string[],
  maxBytes: number,
  before?: Look,
  there?: readonly Found[],
): Promise<Look> {
  const reached = await reach(wanted, there);
  const read = await readAll(asked(reached, before), maxBytes);
  const readings = [...read.values()].sort(byPath);
  const order = new Map(readings.map(({ file: { path } }, index) => [path, index]));
  const places = new Map<string, ReadonlyMap<string, number>>();
  for (const [directory, names] of reached) {
    const here = new Map<string, number>();
    for (const name of names.keys()) here.set(name, order.get(pathIn(directory, name)) as number);
    places.set(directory, here);
  }
  const lasts = wanted.map((each) => basename(each));
  return {
    set: { files: readings.map(({ file }) => file) },
    readings,
    places,
    plain: await plainPlaces(reached, (path) => read.get(path)?.file.error !== "not found"),
    names: new Set(lasts.filter((last) => !WILD.test(last))),
    patterns: lasts.filter((last) => WILD.test(last)),
  };
}

const byPath = ({ file: { path: one } }: Reading, { file: { path: other } }: Reading): number =>
  one < other ? -1 : Number(one > other);

/** All that is wanted, each file once. */
export async function reach(wanted: readonly string[], there?: readonly Found[]): Promise<Places> {
  const all = there ?? (await Promise.all(wanted.map((each) => found(each))));
  if (all.length === 1 && all[0]) return all[0].files;
  const reached = new Map<string, Map<string, Reach>>();
  for (const { files } of all) {
    for (const [directory, names] of files) {
      const here = reached.get(directory) ?? new Map<string, Reach>();
      reached.set(directory, here);
      for (const each of names) here.set(...each);
    }
  }
  return reached;
}

const asked = (reached: Places, before?: Look): ReadonlyMap<string, readonly Wanted[]> =>
  new Map(
    [...reached].map(([directory, names]) => {
      const here = before?.places.get(directory);
      return [
        directory,
        [...names.keys()].map((name) => {
          const index = here?.get(name);
          return {
            path: pathIn(directory, name),
            before: index === undefined ? undefined : before?.readings[index],
          };
        }),
      ];
    }),
  );

/** By the directory they are in, the files of a look that are to be read again: by their places in its order. */
export type Touched = ReadonlyMap<string, readonly number[]>;

/** The same files, some of them read again. What has still the same content is still the same object. */
export async function lookAgain(look: Look, touched: Touched, maxBytes: number): Promise<Look> {
  if (touched.size === 0) return look;
  const pathOf = (index: number) => ({ path: (look.readings[index] as Reading).file.path });
  const again = await readAll(
    new Map([...touched].map(([directory, places]) => [directory, places.map(pathOf)])),
    maxBytes,
  );
  const readings = look.readings.slice();
  const files = look.set.files.slice();
  let isSame = true;
  for (const index of [...touched.values()].flat()) {
    const old = look.readings[index] as Reading;
    const now = again.get(old.file.path) as Reading;
    const kept = now.file.hash === old.file.hash && now.file.error === old.file.error;
    readings[index] = kept ? { ...now, file: old.file } : now;
    if (!kept) files[index] = now.file;
    isSame &&= kept;
  }
  return { ...look, readings, set: isSame ? look.set : { files } };
}

/**
 * Which files may have other contents after what happened; `undefined` where more than that may have changed: which
 * files there are, or the way to them.
 */
export async function touched(
  look: Look,
  { everywhere, names }: Happened,
): Promise<Touched | undefined> {
  if (everywhere) return undefined;
  const all = new Map<string, number[]>();
  for (const [directory, those] of names) {
    const place = look.plain.has(directory) ? look.places.get(directory) : undefined;
    if (!place) return undefined;
    const here: number[] = [];
    for (const name of those) {
      const path = pathIn(directory, name);
      const index = place.get(name);
      const stats = await lstat(path).catch(() => undefined);
      if (index !== undefined) {
        if (!stats?.isFile()) return undefined;
        here.push(index);
      } else if (stats ? !stats.isFile() || isWanted(look, name) : look.plain.has(path)) {
        return undefined;
      }
    }
    if (here.length > 0) all.set(directory, here);
  }
  return all;
}

const WILD = /[*?[\]{}!()]/;

/** By its name alone, so rather too often than too seldom. */
const isWanted = ({ names, patterns }: Look, name: string): boolean =>
  names.has(name) || patterns.some((pattern) => pattern === "**" || matchesGlob(name, pattern));

async function plainPlaces(
  reached: Places,
  isThere: (path: string) => boolean,
): Promise<Look["plain"]> {
  const known: Known = new Map();
  const plain = new Set<string>();
  const crooked = new Set<string>();
  const judge = async (directory: string, names: ReadonlyMap<string, Reach>): Promise<void> => {
    const isStraight = async (path: string): Promise<boolean> => {
      const trail = await trailOf(path, known);
      const straight = trail.size === 1 && trail.has(directory);
      if (!straight) for (const each of trail) crooked.add(each);
      return straight;
    };
    const reaches = new Set(names.values());
    // Plain files of one directory are reached in the same way.
    if (reaches.delete("plain") && (await isStraight(inside(directory)))) plain.add(directory);
    if (reaches.size === 0) return;
    for (const [name, how] of names) {
      if (how === "plain") continue;
      const path = pathIn(directory, name);
      const straight = await isStraight(path);
      const isFile = how === "unknown" && isThere(path) && (await known.get(path)) !== "link";
      if (straight && isFile) plain.add(directory);
      else crooked.add(directory);
    }
  };
  await Promise.all([...reached].map((each) => judge(...each)));
  for (const directory of crooked) plain.delete(directory);
  return plain;
}
