/** The watched directories, kept in step with the requested paths. */

import type { Stats } from "node:fs";
import { basename, join } from "node:path";
import { FSWatcher } from "chokidar";
import { errorMessage } from "../errors.js";
import { type Log } from "../plugin-api/context.js";
import { type FileSystem, networkMounts } from "./file-system.js";
import {
  type MatchedFiles,
  matchedBelow,
  matchedFiles,
  pathIn,
  splitPattern,
} from "./glob-walk.js";
import { type PathKinds, symlinkChain } from "./symlink-chain.js";

/** Passes before changing directories are left to the next event. */
const ROUNDS = 8;

interface Armed {
  readonly identity: string;
  readonly disk: FileSystem;
  readonly watch: DirectoryWatch;
}

export class DirectoryWatches {
  readonly #armed = new Map<string, Armed>();
  readonly #log: Log;
  readonly #happened: (directory: string, name: string | null) => void;
  readonly #watchDirectory: typeof watchDirectory;
  /** Serializes updates, so that no directory is watched twice. */
  #turn: Promise<unknown> = Promise.resolve();
  #unwatchable = false;
  #saidTooMany = false;
  #closed = false;

  constructor(
    log: Log,
    happened: (directory: string, name: string | null) => void,
    arm: typeof watchDirectory = watchDirectory,
  ) {
    this.#log = log;
    this.#watchDirectory = arm;
    this.#happened = happened;
  }

  /** Whether a directory cannot be watched, so that its files are polled often. */
  get unwatchable(): boolean {
    return this.#unwatchable;
  }

  get paths(): readonly string[] {
    return [...this.#armed.keys()];
  }

  /**
   * Once resolved, no change of a requested file is missed. A directory that appears meanwhile may lead to others, so
   * it repeats until nothing is new. Resolves to the matched files, in the order of the patterns.
   */
  aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    const turn = this.#turn.then(() => this.#aim(wanted));
    this.#turn = turn;
    return turn;
  }

  /**
   * Whether another directory is at a watched path. A directory that moves with its parent does not report it. Examines
   * local file systems only, and none where directories are many: the poll of all files finds it later.
   */
  async isMoved(): Promise<boolean> {
    const near = [...this.#armed].filter(([, { disk }]) => disk.isNear);
    for (const [path, { identity, disk }] of near.length > EXAMINED ? [] : near) {
      if (identityOf(await disk.stat(path)) !== identity) return true;
    }
    return false;
  }

  async #aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    for (let round = 0; round <= ROUNDS && !this.#closed; round += 1) {
      const { directories, found: there } = await survey(wanted, this.#enter);
      if (directories.size >= DIRECTORIES) this.#tooMany();
      if (!there) continue;
      await this.#drop((path) => !directories.has(path));
      return there;
    }
    // Missed changes may be at any path.
    this.#happened("/", null);
    return Promise.all(wanted.map((each) => matchedFiles(each)));
  }

  readonly #enter: Enter = async (path, disk) => {
    const identity = identityOf(await disk.stat(path));
    const armed = this.#armed.get(path);
    if (armed && !armed.watch.dead && armed.identity === identity) return false;
    if (armed) await this.#drop((each) => each === path);
    return identity !== undefined && this.#arm(path, identity, disk);
  };

  async #arm(path: string, identity: string, disk: FileSystem): Promise<boolean> {
    if (this.#closed) return false;
    try {
      const fail = (error: unknown) => this.#fail(path, error);
      const happened = (name: string | null) => this.#happened(path, name);
      const watch = await this.#watchDirectory(path, happened, fail);
      if (this.#closed) await watch.close();
      else this.#armed.set(path, { identity, disk, watch });
      return true;
    } catch (error) {
      this.#fail(path, error);
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await this.#drop(() => true);
  }

  #fail(path: string, error: unknown): void {
    if (this.#unwatchable || this.#closed) return;
    this.#unwatchable = true;
    this.#log.warn("Cannot watch a directory; polling its files every second", {
      path,
      reason: reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? errorMessage(error),
    });
  }

  #tooMany(): void {
    if (this.#saidTooMany) return;
    this.#saidTooMany = true;
    this.#log.warn("Too many directories to watch; edits in the rest are noticed after a while", {
      watched: DIRECTORIES,
    });
  }

  async #drop(isOver: (path: string) => boolean): Promise<void> {
    const over = [...this.#armed].filter(([path]) => isOver(path));
    for (const [path] of over) this.#armed.delete(path);
    await Promise.all(over.map(([, { watch }]) => watch.close()));
  }
}

const EXAMINED = 256;

const identityOf = (stats: Stats | undefined): string | undefined =>
  stats && `${stats.dev}:${stats.ino}`;

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the system has no watches left; raise fs.inotify.max_user_watches",
  EMFILE: "too many files are open; raise fs.inotify.max_user_instances or the limit of open files",
  EACCES: "permission denied",
};

/** The maximum number of watched directories; more indicates a mistake, like `/**`. */
const DIRECTORIES = 4_096;

/** Watches a directory. Resolves to whether it was not watched before. */
export type Enter = (directory: string, disk: FileSystem) => Promise<boolean>;

interface Surveyed {
  /** By real path. */
  readonly directories: ReadonlySet<string>;
  /** The matched files, in the order of the patterns; `undefined` if they may have changed meanwhile. */
  readonly found: readonly MatchedFiles[] | undefined;
}

/**
 * Reads a directory only after watching it. The directories that lead to a path are known only after resolving it;
 * newly watched ones require another pass.
 */
async function survey(wanted: readonly string[], enter: Enter): Promise<Surveyed> {
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

/** Paths that a symbolic link may redirect. */
function waysTo({ files }: MatchedFiles): readonly string[] {
  const ways: string[] = [];
  for (const [directory, names] of files) {
    for (const [name, reach] of names) if (reach !== "plain") ways.push(pathIn(directory, name));
  }
  return ways;
}

/** A path inside the directory. */
export const inside = (directory: string): string => join(directory, "*");

export interface DirectoryWatch {
  /** Whether the directory itself was removed or moved, which ends its notifications. */
  readonly dead: boolean;
  close(): Promise<void>;
}

/**
 * Receives a directory's notifications without listing its entries: the caller reads the files anyway, and listing
 * 10,000 entries with their stats costs 60 MB and a third of a second.
 */
class Unlisted extends FSWatcher {
  override createScanStream(): undefined {
    return undefined;
  }
}

/**
 * Resolves once the directory is watched; later changes are not missed. `happened` receives `null` for changes of the
 * directory itself. Rejects if the system cannot watch it: no watches left, no permission.
 */
export async function watchDirectory(
  path: string,
  happened: (name: string | null) => void,
  failed: (error: unknown) => void,
): Promise<DirectoryWatch> {
  let dead = false;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // The directory's own notifications suffice: entries are not examined, and files use no watches.
  const watcher = new Unlisted({
    depth: 0,
    ignored: (each) => each !== path,
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    backend: "native",
  });
  watcher
    .on("raw", (_event, name) => {
      const isItself = name === null || name === basename(path);
      if (isItself) dead = true;
      happened(isItself ? null : name);
    })
    .on("error", (error) => {
      reject(error);
      failed(error);
    })
    .on("ready", () => resolve())
    .add(path);
  try {
    await ready;
  } catch (error) {
    await watcher.close();
    throw error;
  }
  return {
    get dead() {
      return dead;
    },
    close: () => watcher.close(),
  };
}
