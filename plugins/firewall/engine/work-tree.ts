/** The git work tree that a directory belongs to, and where git keeps its data: gitrepository-layout(5), git-worktree(1). */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { settingsOf } from "./git-config.js";
import { isDirectory, isWithin } from "./paths.js";
import { isSystemDirectory } from "./system-directories.js";

export interface WorkTreeLimits {
  /** Only this user's repositories count, as for git itself (`safe.directory`). */
  readonly uid: number;
  /** Nothing in these is opened, … */
  readonly closed: readonly string[];
  /** … and nothing that contains these. */
  readonly undivided: readonly string[];
}

/**
 * What a command works on that starts in `directory`: its work tree, and git's directory elsewhere if that names this
 * tree. Without such a tree, or beyond the limits, the directory itself.
 */
export function workTreeOf(directory: string, limits: WorkTreeLimits): readonly string[] {
  const path = resolve(directory);
  // The mount of a link is not at the link's target.
  const tree = realOf(path) === path ? treeAbove(path, limits.uid) : undefined;
  if (tree === undefined) return [directory];
  const [top] = tree;
  // The directory itself is open in any case.
  if (!tree.every((each) => each === path || mayOpen(each, limits))) return [directory];
  const others = tree.filter((each) => each !== top && !isWithin(each, top));
  return others.some((each) => isWithin(top, each)) ? others : [top, ...others];
}

/** The top of the tree, and the directory of git's data. */
type Tree = readonly [top: string, data: string];

/** As git looks for it: the nearest one, on one file system, beside which others are not looked for. */
function treeAbove(directory: string, uid: number): Tree | undefined {
  const own = (found: Stats | undefined): boolean => found?.uid === uid;
  const device = statsOf(directory)?.dev;
  for (let path = directory; path !== "/"; path = dirname(path)) {
    const found = statsOf(path);
    if (found?.dev !== device) return undefined;
    const pointer = join(path, ".git");
    const git = statsOf(pointer);
    const isOwn = own(found) && own(git);
    if (git?.isFile()) {
      const data = isOwn ? dataOf(path, own) : undefined;
      return data === undefined ? undefined : [path, data];
    }
    if (isRepository(pointer)) return isOwn && git?.isDirectory() ? [path, pointer] : undefined;
    // The directory is in git's data.
    if (isRepository(path)) return undefined;
  }
  return undefined;
}

/** A command may have written the pointer, but not what it points to: that must name the work tree, too. */
function dataOf(top: string, own: (found: Stats | undefined) => boolean): string | undefined {
  const pointer = join(top, ".git");
  const target = namedBy(pointer, "gitdir: ");
  // What is in the tree may be a command's as well.
  if (target === undefined || isWithin(target, top) || !isRepository(target)) return undefined;
  if (!own(statsOf(target))) return undefined;
  if (!statsOf(join(target, "commondir")))
    return treeOfSettings(target) === top ? target : undefined;
  const common = namedBy(join(target, "commondir"));
  if (common === undefined || common !== dirname(dirname(target))) return undefined;
  const isNamed = namedBy(join(target, "gitdir")) === pointer;
  return isNamed && isRepository(common) && own(statsOf(common)) ? common : undefined;
}

/** What `core.worktree` says in a submodule's git directory. */
function treeOfSettings(directory: string): string | undefined {
  for (const name of ["config.worktree", "config"]) {
    const path = join(directory, name);
    if (!statsOf(path)?.isFile()) continue;
    const value = settingsOf(path)?.findLast(({ key }) => key === "core.worktree")?.value;
    if (value) return realOf(resolve(directory, Buffer.from(value, "latin1").toString()));
  }
  return undefined;
}

/** As git recognizes one, or the directory of a linked worktree. */
function isRepository(path: string): boolean {
  const has = (name: string) => isDirectory(join(path, name));
  if (!statsOf(join(path, "HEAD"))) return false;
  return (has("objects") && has("refs")) || statsOf(join(path, "commondir")) !== undefined;
}

function mayOpen(path: string, { closed, undivided }: WorkTreeLimits): boolean {
  return !(
    isSystemDirectory(path) ||
    closed.some((directory) => isWithin(path, directory)) ||
    undivided.some((directory) => isWithin(directory, path))
  );
}

/** Without links; nothing for what this process may not see. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The real path that a file of one line names. */
function namedBy(file: string, prefix = ""): string | undefined {
  const line = lineOf(file);
  if (!line?.startsWith(prefix) || line === prefix) return undefined;
  return realOf(resolve(dirname(file), line.slice(prefix.length)));
}

/** Larger than a path can be. */
const longestLine = 8192;

/** A pipe in the file's place neither holds up the start nor counts. */
function lineOf(file: string): string | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const descriptor = openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      if (!fstatSync(descriptor).isFile()) return undefined;
      const buffer = Buffer.alloc(longestLine);
      const text = buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, longestLine, 0));
      const [, line] = /^([^\n\0]+)\n*$/.exec(text) ?? [];
      return line;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
