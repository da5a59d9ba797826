/** What is wanted, as files: a path stands for itself, a pattern for the files it matches now. */
import { lstat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Found, pathIn, walk } from "./walk.js";

const WILDCARD = /[*?[\]{}]/;

/** A pattern in two: the directory that it starts from, and what is to be matched below it. */
export interface SplitPattern {
  readonly base: string;
  /** Relative to `base`; empty where the whole path is meant as it stands. */
  readonly rest: string;
}

/** A segment with wildcards that exists as it is written is a name: directories are called `[old]` too. */
export async function splitPattern(pattern: string): Promise<SplitPattern> {
  if (!WILDCARD.test(pattern)) return { base: pattern, rest: "" };
  const segments = resolve(pattern).split(sep).slice(1);
  let base: string = sep;
  for (const [index, segment] of segments.entries()) {
    const next = join(base, segment);
    if (WILDCARD.test(segment) && !(await exists(next))) {
      return { base, rest: segments.slice(index).join("/") };
    }
    base = next;
  }
  return { base, rest: "" };
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The files that an absolute pattern stands for, sorted; for a path without wildcards the path, there or not. */
export async function filesOf(pattern: string): Promise<readonly string[]> {
  const { files } = await found(pattern);
  return [...files]
    .flatMap(([directory, names]) => [...names.keys()].map((name) => pathIn(directory, name)))
    .sort();
}

/** What an absolute pattern stands for now, and where something must happen before that is something else. */
export async function found(pattern: string, split?: SplitPattern): Promise<Found> {
  const { base, rest } = split ?? (await splitPattern(pattern));
  if (rest === "") {
    const files = new Map([[dirname(base), new Map([[basename(base), "unknown" as const]])]]);
    return { files, directories: [], links: [] };
  }
  return walk(base, rest);
}
