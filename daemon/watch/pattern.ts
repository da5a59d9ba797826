/** What is wanted, as files: a path stands for itself, a pattern for the files it matches now. */
import { basename, dirname, join, resolve, sep } from "node:path";
import { type FileSystem, fileSystemOf } from "./file-system.js";
import { type MatchedFiles, pathIn, type Visit, walk } from "./glob-walk.js";
import { type NetworkMounts, networkMounts } from "./mounts.js";

const WILDCARD = /[*?[\]{}]/;

/** A pattern in two: the directory that it starts from, and what is to be matched below it. */
interface SplitPattern {
  readonly base: string;
  /** Relative to `base`; empty where the whole path is meant as it stands. */
  readonly rest: string;
  readonly disk: FileSystem;
}

/** A segment with wildcards that exists as it is written is a name: directories are called `[old]` too. */
export async function splitPattern(
  pattern: string,
  mounts: Promise<NetworkMounts>,
): Promise<SplitPattern> {
  const segments = resolve(pattern).split(sep).slice(1);
  const wild = segments.findIndex((segment) => WILDCARD.test(segment));
  if (wild < 0) return { base: pattern, rest: "", disk: await fileSystemOf(pattern, mounts) };
  let base: string = sep + segments.slice(0, wild).join(sep);
  const disk = await fileSystemOf(base, mounts);
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
export async function filesMatching(pattern: string): Promise<readonly string[]> {
  const { files } = await matchedFiles(pattern);
  return [...files]
    .flatMap(([directory, names]) => [...names.keys()].map((name) => pathIn(directory, name)))
    .sort();
}

/** What an absolute pattern stands for now. */
export async function matchedFiles(
  pattern: string,
  mounts: Promise<NetworkMounts> = networkMounts(),
  visit?: Visit,
): Promise<MatchedFiles> {
  return matchedBelow(await splitPattern(pattern, mounts), visit);
}

/** And where something must happen before that is something else. */
export async function matchedBelow(
  { base, rest, disk }: SplitPattern,
  visit?: Visit,
): Promise<MatchedFiles> {
  if (rest !== "") return walk(base, rest, { ...visit, disk });
  const directory = dirname(base);
  const files = new Map([[directory, new Map([[basename(base), "unknown" as const]])]]);
  return { files, directories: [], links: [], near: disk.isNear ? [directory] : [] };
}
