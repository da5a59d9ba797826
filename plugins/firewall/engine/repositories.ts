/**
 * Git repositories that a command can write. git runs their hooks, and commands that their configuration names, the
 * next time the user calls it. What exists at the start is mounted read-only; what is new at the end is moved aside.
 */
import {
  type Dirent,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemCode } from "../errors.js";
import { entriesOf, stampOf } from "./entries.js";
import { cleanConfig } from "./git-config.js";
import { isWithin } from "./paths.js";

/** What was there before the command ran. Data, so that a later start can go on after a kill. */
export interface RepositoryRecord {
  /** Writable directories of the host. */
  readonly roots: readonly string[];
  /** Milliseconds since the epoch; a later change is the command's. */
  readonly since: number;
  /** For each git directory: what of `protectedNames` existed, as `stampOf` says it. */
  readonly known: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `.git` files, which name a git directory elsewhere. */
  readonly pointers: readonly string[];
  /** Paths that the user made writable by name. */
  readonly allowed: readonly string[];
}

export interface MovedAside {
  readonly path: string;
  /** Its new name, or the settings that were taken out. */
  readonly note: string;
}

export const configurations = ["config", "config.worktree"];
export const protectedNames = [...configurations, "hooks", "info/attributes", "commondir"];
/** Directories of a git directory without further git directories. */
const contents = new Set(["objects", "refs", "logs", "lfs", "info", "hooks"]);

/** How many directories the start looks at, nearest first, and how many git directories it mounts. */
export const most = { visited: 1500, mounted: 40 };
/** The clock of file systems may lag by a tick. */
const tickMs = 10;

/** @param roots writable directories; `allowed` are the paths that the user named */
export function recordRepositories(
  roots: readonly string[],
  allowed: readonly string[],
): { readonly repositories: RepositoryRecord; readonly visited: readonly string[] } {
  const { directories, pointers, visited } = gitDirectories(roots, true);
  const known = directories
    .slice(0, most.mounted)
    .map((directory) => [directory, stampsIn(directory)] as const);
  const since = Date.now() - tickMs;
  const repositories = { roots, since, known: Object.fromEntries(known), pointers, allowed };
  return { repositories, visited };
}

/** The nearest directories, as the start looks at them. */
export const nearestDirectories = (roots: readonly string[]): readonly string[] =>
  gitDirectories(roots, true).visited;

/** The paths to mount read-only. */
export function protectedIn({ known, pointers, allowed }: RepositoryRecord): string[] {
  const inside = Object.entries(known).flatMap(([directory, names]) =>
    Object.keys(names).map((name) => join(directory, name)),
  );
  return [...inside, ...pointers].filter((path) => !allowed.includes(path));
}

/** Moves aside what git would run of the command's. Once, when every process of it has ended. */
export function reviewRepositories(record: RepositoryRecord): {
  readonly moved: readonly MovedAside[];
  readonly problems: readonly string[];
} {
  const moved: MovedAside[] = [];
  const problems: string[] = [];
  for (const directory of gitDirectories(record.roots, false).directories) {
    try {
      moved.push(...review(directory, record));
    } catch (thrown) {
      problems.push(`${directory} (${systemCode(thrown) ?? thrown})`);
    }
  }
  return { moved, problems };
}

function* review(directory: string, record: RepositoryRecord): Generator<MovedAside> {
  const before = record.known[directory];
  for (const name of protectedNames) {
    const path = join(directory, name);
    const now = stampOf(path);
    if (now === undefined || record.allowed.includes(path)) continue;
    const was = before?.[name];
    const isNew = (file: string) => before !== undefined || lstatSync(file).ctimeMs >= record.since;
    if (was?.startsWith("link ") && was !== now) {
      yield moveAside(path);
      symlinkSync(was.slice("link ".length), path);
    } else if (was !== undefined) {
      // Its mount kept it.
    } else if (name === "hooks" && now === "directory") {
      for (const entry of entriesOf(path)) {
        const hook = join(path, entry.name);
        if (!/\.sample$|\.sandbox-\d+$/.test(entry.name) && isNew(hook)) yield moveAside(hook);
      }
    } else if (!isNew(path)) {
      // As before the run.
    } else if (configurations.includes(name) && lstatSync(path).isFile()) {
      const removed = cleanConfig(path, aside(path));
      if (removed.length > 0) yield { path, note: `without ${removed.join(", ")}` };
    } else if (name !== "commondir" || before !== undefined) {
      // A new worktree needs its `commondir`; the directory that it names is reviewed as well.
      yield moveAside(path);
    }
  }
}

const aside = (path: string): string => `${path}.sandbox-${Date.now()}`;

/** Renames it. */
export function moveAside(path: string): MovedAside {
  const target = aside(path);
  renameSync(path, target);
  return { path, note: `now ${target.slice(dirname(path).length + 1)}` };
}

function stampsIn(directory: string): Record<string, string> {
  const stamps = protectedNames.map((name) => [name, stampOf(join(directory, name))] as const);
  return Object.fromEntries(
    stamps.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Breadth first, without links. The start skips installed packages. */
function gitDirectories(
  roots: readonly string[],
  atStart: boolean,
): {
  readonly directories: string[];
  readonly pointers: string[];
  readonly visited: readonly string[];
} {
  const directories = new Set<string>();
  const pointers: string[] = [];
  const queue = new Set(roots);
  let visited = 0;
  for (const directory of queue) {
    visited += 1;
    if (atStart && visited > most.visited) break;
    const entries = entriesOf(directory);
    if (isGitDirectory(directory, entries)) directories.add(directory);
    for (const path of directoriesIn(directory, entries, atStart)) queue.add(path);
    for (const entry of entries) {
      // Reading a pipe would wait for a writer.
      if (!entry.isFile() && !entry.isSymbolicLink()) continue;
      const path = join(directory, entry.name);
      const target = entry.name === ".git" ? pointedTo(path) : undefined;
      if (target === undefined) continue;
      if (entry.isFile()) pointers.push(path);
      if (roots.some((root) => isWithin(target, root))) queue.add(target);
    }
  }
  return { directories: [...directories], pointers, visited: [...queue].slice(0, visited) };
}

/** The directories to look at next, from the entries of one. */
export function directoriesIn(
  directory: string,
  entries: readonly Dirent[],
  atStart: boolean,
): string[] {
  const isGit = isGitDirectory(directory, entries);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !(isGit ? contents.has(name) : atStart && name === "node_modules"))
    .map((name) => join(directory, name));
}

/** As git recognizes a bare repository or the directory of a worktree. */
export function isGitDirectory(directory: string, entries: readonly Dirent[]): boolean {
  if (directory.endsWith("/.git")) return true;
  const names = new Set(entries.map(({ name }) => name));
  return (
    names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")))
  );
}

/** The git directory that a `.git` file or link names. */
function pointedTo(path: string): string | undefined {
  try {
    if (lstatSync(path).isSymbolicLink()) return realpathSync(path);
    const [, target] = /^gitdir: (.+?)\n*$/.exec(readFileSync(path, "utf8").slice(0, 4096)) ?? [];
    return target === undefined ? undefined : realpathSync(resolve(dirname(path), target));
  } catch {
    return undefined;
  }
}
