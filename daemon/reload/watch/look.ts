/** What the wanted files contained at one time, and what may have become different since. */
import { lstat } from "node:fs/promises";
import { basename, dirname, join, matchesGlob } from "node:path";
import type { FileSet } from "../../plugin-api/world.js";
import { inside } from "./directories.js";
import type { Happened } from "./dirt.js";
import { forEachFile } from "./local.js";
import { found } from "./pattern.js";
import { stampNow, stampPatiently } from "./read-file.js";
import { hashOf, type Readings, readAll } from "./read-set.js";
import { type Known, trailOf } from "./trail.js";
import type { Reach } from "./walk.js";

export interface Look {
  /** In the order of their paths. */
  readonly set: FileSet;
  readonly readings: Readings;
  /** Paths by name, by the directory in which nothing matters but what is directly in it. */
  readonly plain: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Last parts of what is wanted: names without wildcards, and patterns. */
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

/** A whole look. Files that say of themselves that they are the same as in `before` are not read again. */
export async function lookAt(
  wanted: readonly string[],
  maxBytes: number,
  before?: Look,
): Promise<Look> {
  const reached = new Map<string, Reach>();
  for (const each of wanted) {
    for (const [path, reach] of (await found(each)).files) reached.set(path, reach);
  }
  const paths = [...reached.keys()].sort();
  const readings = await readAll(paths, maxBytes, before?.readings);
  const lasts = wanted.map((each) => basename(each));
  return {
    set: setOf(readings),
    readings,
    plain: await plainPlaces(reached, readings),
    names: new Set(lasts.filter((last) => !WILD.test(last))),
    patterns: lasts.filter((last) => WILD.test(last)),
  };
}

/** The same files, some of them read again. */
export async function lookAgain(
  look: Look,
  paths: Iterable<string>,
  maxBytes: number,
): Promise<Look> {
  const again = await readAll([...paths], maxBytes);
  if (again.size === 0) return look;
  const readings = new Map([...look.readings, ...again]);
  return { ...look, readings, set: setOf(readings) };
}

/**
 * Which files may have other contents after what happened; `undefined` where more than that may have changed: which
 * files there are, or the way to them.
 */
export async function touched(
  look: Look,
  { everywhere, names }: Happened,
): Promise<ReadonlySet<string> | undefined> {
  if (everywhere) return undefined;
  const paths = new Set<string>();
  for (const [directory, those] of names) {
    const place = look.plain.get(directory);
    if (!place) return undefined;
    for (const name of those) {
      const here = join(directory, name);
      const path = place.get(name);
      const stats = await lstat(here).catch(() => undefined);
      if (path !== undefined) {
        if (!stats?.isFile()) return undefined;
        paths.add(path);
      } else if (stats ? !stats.isFile() || isWanted(look, name) : look.plain.has(here)) {
        return undefined;
      }
    }
  }
  return paths;
}

/** What changes when a file does, without reading it: for looking often. */
export async function glance(wanted: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const each of wanted) {
    const { files } = await found(each);
    const add = (path: string, stamp: string) => lines.push(`${path} ${stamp}`);
    await forEachFile([...files.keys()], {
      once: (path) => add(path, stampNow(path)),
      leisure: async (path) => void add(path, await stampPatiently(path)),
    });
  }
  return lines.length === 0 ? "" : hashOf(lines.sort().join("\n"));
}

const WILD = /[*?[\]{}!()]/;

/** By its name alone, so rather too often than too seldom. */
const isWanted = ({ names, patterns }: Look, name: string): boolean =>
  names.has(name) || patterns.some((pattern) => pattern === "**" || matchesGlob(name, pattern));

const setOf = (readings: Readings): FileSet => ({
  files: [...readings.values()].map(({ file }) => file),
});

async function plainPlaces(
  reached: ReadonlyMap<string, Reach>,
  readings: Readings,
): Promise<Look["plain"]> {
  const known: Known = new Map();
  const plain = new Map<string, Map<string, string>>();
  const crooked = new Set<string>();
  const straight = new Map<string, boolean>();
  for (const [path, reach] of reached) {
    const directory = dirname(path);
    const isThere = readings.get(path)?.file.error !== "not found";
    const isPlain = reach === "plain" || (reach === "unknown" && isThere);
    const way = reach === "plain" ? inside(directory) : path;
    let isStraight = reach === "plain" ? straight.get(directory) : undefined;
    if (isStraight === undefined) {
      const trail = await trailOf(way, known);
      const isLink = (await known.get(path)) === "link";
      isStraight = isPlain && !isLink && trail.size === 1 && trail.has(directory);
      if (reach === "plain") straight.set(directory, isStraight);
      if (!isStraight) for (const each of trail) crooked.add(each);
    }
    if (!isStraight) continue;
    const place = plain.get(directory);
    if (place) place.set(basename(path), path);
    else plain.set(directory, new Map([[basename(path), path]]));
  }
  for (const directory of crooked) plain.delete(directory);
  return plain;
}
