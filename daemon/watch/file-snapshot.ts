/** A snapshot of the watched files, and which of them may have changed since. */
import { basename, matchesGlob } from "node:path";
import { type FileSet, type WatchedFile } from "../plugin-api/files.js";
import { type PathChange } from "./changes.js";
import { inside } from "./directory-watches.js";
import { localFileSystem, networkMounts, remoteFileSystem } from "./file-system.js";
import {
  type FilesByDirectory,
  type MatchedFiles,
  matchedFiles,
  pathIn,
  type Reach,
} from "./glob-walk.js";
import {
  type FileRead,
  type ReadLimits,
  type ReadRequest,
  readAll,
  sameStamp,
} from "./read-files.js";
import { type PathKinds, symlinkChain } from "./symlink-chain.js";

export interface FileSnapshot {
  /** In the order of their paths. */
  readonly set: FileSet;
  /** In the same order. */
  readonly readings: readonly FileRead[];
  /** The index of a file, by name, by directory. */
  readonly indexes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Directories whose requested files are all plain entries. */
  readonly plain: ReadonlySet<string>;
  /** Directories known to be on a local file system. */
  readonly near: ReadonlySet<string>;
  /** Last segments of the requested paths: names, and patterns. */
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

/**
 * Takes a full snapshot. Unchanged files of `before` are not read again. `there` are the matched files, if just
 * computed.
 */
export async function takeSnapshot(
  wanted: readonly string[],
  limits: ReadLimits,
  before?: FileSnapshot,
  there?: readonly MatchedFiles[],
): Promise<FileSnapshot> {
  const reached = await collectFiles(wanted, there);
  const { near } = reached;
  const files = inOrder(reached, before);
  const readings = await readAll(files, near, limits);
  const indexes = new Map<string, Map<string, number>>();
  for (let index = 0; index < files.length; index += 1) {
    const { directory, name } = files[index] as ReadRequest & Named;
    const here = indexes.get(directory);
    if (here) here.set(name, index);
    else indexes.set(directory, new Map([[name, index]]));
  }
  const isThere = (directory: string, name: string): boolean =>
    readings[indexes.get(directory)?.get(name) as number]?.file.error !== "not found";
  const lasts = wanted.map((each) => basename(each));
  return {
    set: { files: readings.map(({ file }) => file) },
    readings,
    indexes: indexes,
    plain: await plainDirectories(reached, isThere),
    near,
    names: new Set(lasts.filter((last) => !WILD.test(last))),
    patterns: lasts.filter((last) => WILD.test(last)),
  };
}

interface Named {
  readonly name: string;
}

/** Files in the order of their paths, as they already come except for nested directories. */
function inOrder(
  { files: indexes }: CollectedFiles,
  before?: FileSnapshot,
): readonly (ReadRequest & Named)[] {
  const files: (ReadRequest & Named)[] = [];
  let last = "";
  let isSorted = true;
  for (const directory of [...indexes.keys()].sort()) {
    const names = indexes.get(directory) as ReadonlyMap<string, Reach>;
    const here = before?.indexes.get(directory);
    for (const name of [...names.keys()].sort()) {
      const index = here?.get(name);
      const path = pathIn(directory, name);
      isSorted &&= last < path;
      last = path;
      files.push({
        path,
        directory,
        name,
        isFile: names.get(name) === "plain",
        before: index === undefined ? undefined : before?.readings[index],
      });
    }
  }
  if (isSorted) return files;
  return files.sort(({ path: one }, { path: other }) => (one < other ? -1 : Number(one > other)));
}

interface CollectedFiles {
  readonly files: FilesByDirectory;
  /** Directories known to be on a local file system. */
  readonly near: ReadonlySet<string>;
}

/** All requested files, each once. */
export async function collectFiles(
  wanted: readonly string[],
  there?: readonly MatchedFiles[],
  yieldTurn?: () => Promise<unknown>,
): Promise<CollectedFiles> {
  const mounts = there ? undefined : networkMounts();
  const all =
    there ?? (await Promise.all(wanted.map((each) => matchedFiles(each, mounts, { yieldTurn }))));
  const near = new Set(all.flatMap((each) => [...each.near]));
  if (all.length === 1 && all[0]) return { files: all[0].files, near };
  const indexes = new Map<string, Map<string, Reach>>();
  for (const { files } of all) {
    for (const [directory, names] of files) {
      const here = indexes.get(directory) ?? new Map<string, Reach>();
      indexes.set(directory, here);
      for (const each of names) here.set(...each);
    }
  }
  return { files: indexes, near };
}

/** Files to read again, by directory, as indexes of the snapshot. */
export type StaleFiles = ReadonlyMap<string, readonly number[]>;

/** The files that may have changed without a notification and with equal stats. */
export function unverifiedFiles({ indexes, readings, near }: FileSnapshot): StaleFiles {
  const all = new Map<string, number[]>();
  for (const [directory, names] of indexes) {
    const here = [...names.values()];
    const isDoubtful = (index: number) => readings[index]?.isSure !== true;
    const those = near.has(directory) ? here.filter(isDoubtful) : here;
    if (those.length > 0) all.set(directory, those);
  }
  return all;
}

/** Reads some files again. Unchanged files keep their object. */
export async function refreshSnapshot(
  look: FileSnapshot,
  touched: StaleFiles,
  limits: ReadLimits,
): Promise<FileSnapshot> {
  const indexes: number[] = [];
  const wanted: ReadRequest[] = [];
  for (const [directory, those] of touched) {
    for (const index of those) {
      const { path, error } = (look.readings[index] as FileRead).file;
      indexes.push(index);
      wanted.push({ path, directory, isFile: error === undefined });
    }
  }
  const again = await readAll(wanted, look.near, limits);
  const news = again.filter((now, at) => !isSameReading(now, look.readings[indexes[at] as number]));
  if (news.length === 0) return look;
  const readings = look.readings.slice();
  let files: WatchedFile[] | undefined;
  for (const [at, index] of indexes.entries()) {
    const old = look.readings[index] as FileRead;
    const now = again[at] as FileRead;
    const kept = now.file.hash === old.file.hash && now.file.error === old.file.error;
    readings[index] = kept ? { ...now, file: old.file } : now;
    if (kept) continue;
    files ??= look.set.files.slice();
    files[index] = now.file;
  }
  return { ...look, readings, set: files ? { files } : look.set };
}

const isSameReading = (one: FileRead, other: FileRead | undefined): boolean =>
  one.file.hash === other?.file.hash &&
  one.file.error === other.file.error &&
  one.isSure === other.isSure &&
  sameStamp(one.stamp, other.stamp);

/** The files that may have changed; `undefined` if the set of files or their paths may have changed. */
export async function staleFiles(
  look: FileSnapshot,
  { everywhere, names }: PathChange,
): Promise<StaleFiles | undefined> {
  if (everywhere) return undefined;
  const all = new Map<string, number[]>();
  for (const [directory, those] of names) {
    const indexes = look.plain.has(directory) ? look.indexes.get(directory) : undefined;
    if (!indexes) return undefined;
    const disk = look.near.has(directory) ? localFileSystem : remoteFileSystem;
    const here: number[] = [];
    for (const name of those) {
      const path = pathIn(directory, name);
      const index = indexes.get(name);
      const stats = await disk.lstat(path);
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

/** Judged by name alone; may return false positives. */
const isWanted = ({ names, patterns }: FileSnapshot, name: string): boolean =>
  names.has(name) || patterns.some((pattern) => pattern === "**" || matchesGlob(name, pattern));

async function plainDirectories(
  { files: indexes, near }: CollectedFiles,
  isThere: (directory: string, name: string) => boolean,
): Promise<FileSnapshot["plain"]> {
  const known: PathKinds = new Map();
  const plain = new Set<string>();
  const crooked = new Set<string>();
  const judge = async (directory: string, names: ReadonlyMap<string, Reach>): Promise<void> => {
    const disk = near.has(directory) ? localFileSystem : remoteFileSystem;
    const isStraight = async (path: string): Promise<boolean> => {
      const directories = await symlinkChain(path, known, disk);
      const straight = directories.size === 1 && directories.has(directory);
      if (!straight) for (const each of directories) crooked.add(each);
      return straight;
    };
    const reaches = new Set(names.values());
    // Plain files of one directory share their path.
    if (reaches.delete("plain") && (await isStraight(inside(directory)))) plain.add(directory);
    if (reaches.size === 0) return;
    for (const [name, how] of names) {
      if (how === "plain") continue;
      const path = pathIn(directory, name);
      const straight = await isStraight(path);
      const isFile = how === "unknown" && isThere(directory, name) && known.get(path) !== "link";
      if (straight && isFile) plain.add(directory);
      else crooked.add(directory);
    }
  };
  await Promise.all([...indexes].map((each) => judge(...each)));
  for (const directory of crooked) plain.delete(directory);
  return plain;
}
