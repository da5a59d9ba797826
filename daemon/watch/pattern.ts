/** What is wanted, as files: a path stands for itself, a pattern for the files it matches now. */
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Disk, diskOf } from "./file-system.js";
import { type Found, pathIn, type Visit, walk } from "./glob-walk.js";
import { type Mounts, networkMounts } from "./mounts.js";

const WILDCARD = /[*?[\]{}]/;

/** A pattern in two: the directory that it starts from, and what is to be matched below it. */
interface SplitPattern {
  readonly base: string;
  /** Relative to `base`; empty where the whole path is meant as it stands. */
  readonly rest: string;
  readonly disk: Disk;
}

/** A segment with wildcards that exists as it is written is a name: directories are called `[old]` too. */
export async function splitPattern(
  pattern: string,
  mounts: Promise<Mounts>,
): Promise<SplitPattern> {
  const segments = resolve(pattern).split(sep).slice(1);
  const wild = segments.findIndex((segment) => WILDCARD.test(segment));
  if (wild < 0) return { base: pattern, rest: "", disk: await diskOf(pattern, mounts) };
  let base: string = sep + segments.slice(0, wild).join(sep);
  const disk = await diskOf(base, mounts);
  for (const [index, segment] of segments.entries()) {
    if (index < wild) continue;
    const next = join(base, segment);
    if (WILDCARD.test(segment) && !(await disk.lstat(next))) {
      return { base, rest: segments.slice(index).join("/"), disk };
    }
    base = next;
  }
  return { base, rest: "", disk };
}

/** The files that an absolute pattern stands for, sorted; for a path without wildcards the path, there or not. */
export async function filesOf(pattern: string): Promise<readonly string[]> {
  const { files } = await found(pattern);
  return [...files]
    .flatMap(([directory, names]) => [...names.keys()].map((name) => pathIn(directory, name)))
    .sort();
}

/** What an absolute pattern stands for now. */
export async function found(
  pattern: string,
  mounts: Promise<Mounts> = networkMounts(),
  visit?: Visit,
): Promise<Found> {
  return foundBelow(await splitPattern(pattern, mounts), visit);
}

/** And where something must happen before that is something else. */
export async function foundBelow(
  { base, rest, disk }: SplitPattern,
  visit?: Visit,
): Promise<Found> {
  if (rest !== "") return walk(base, rest, { ...visit, disk });
  const place = dirname(base);
  const files = new Map([[place, new Map([[basename(base), "unknown" as const]])]]);
  return { files, directories: [], links: [], near: disk.isNear ? [place] : [] };
}
