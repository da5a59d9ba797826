/** The directories that are being watched now, kept in step with what is wanted. */

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

/** Directories that come and go faster than they can be watched are looked at again with the next event. */
const ROUNDS = 8;

interface Armed {
  readonly identity: string;
  readonly watch: DirectoryWatch;
}

export class DirectoryWatches {
  readonly #armed = new Map<string, Armed>();
  readonly #log: Log;
  readonly #happened: (directory: string, name: string | null) => void;
  readonly #watchDirectory: typeof watchDirectory;
  /** One at a time, or a directory would be armed twice. */
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

  /** Whether some directory cannot be watched, so that files have to be looked at often. */
  get unwatchable(): boolean {
    return this.#unwatchable;
  }

  get paths(): readonly string[] {
    return [...this.#armed.keys()];
  }

  /**
   * When it resolves, nothing that changes one of the wanted files is missed. A directory that appears while others
   * are being armed may lead to more of them, so it goes on until nothing is new. Resolves to what was found in the
   * end, in the order of what is wanted.
   */
  aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    const turn = this.#turn.then(() => this.#aim(wanted));
    this.#turn = turn;
    return turn;
  }

  async #aim(wanted: readonly string[]): Promise<readonly MatchedFiles[]> {
    for (let round = 0; round <= ROUNDS && !this.#closed; round += 1) {
      const { directories, found: there } = await survey(wanted, this.#enter);
      if (directories.size >= DIRECTORIES) this.#tooMany();
      if (!there) continue;
      await this.#drop((path) => !directories.has(path));
      return there;
    }
    // Whatever was missed may be anywhere.
    this.#happened("/", null);
    return Promise.all(wanted.map((each) => matchedFiles(each)));
  }

  readonly #enter: Enter = async (path, disk) => {
    const stats = await disk.stat(path);
    const identity = stats && `${stats.dev}:${stats.ino}`;
    const armed = this.#armed.get(path);
    if (armed && !armed.watch.dead && armed.identity === identity) return false;
    if (armed) await this.#drop((each) => each === path);
    return identity !== undefined && this.#arm(path, identity);
  };

  async #arm(path: string, identity: string): Promise<boolean> {
    if (this.#closed) return false;
    try {
      const fail = (error: unknown) => this.#fail(path, error);
      const happened = (name: string | null) => this.#happened(path, name);
      const watch = await this.#watchDirectory(path, happened, fail);
      if (this.#closed) await watch.close();
      else this.#armed.set(path, { identity, watch });
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
    this.#log.warn("A directory cannot be watched, so its files are looked at every second", {
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

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the system has no watches left; raise fs.inotify.max_user_watches",
  EMFILE: "too many files are open; raise fs.inotify.max_user_instances or the limit of open files",
  EACCES: "permission denied",
};

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

export interface DirectoryWatch {
  /** Whether the directory itself was removed or moved away: nothing more is heard from it. */
  readonly dead: boolean;
  close(): Promise<void>;
}

/**
 * Hears what the system says of a directory and does not list what is in it: who asks for the watch reads the files anyway,
 * and a list with the data of 10,000 entries costs 60 MB and a third of a second.
 */
class Unlisted extends FSWatcher {
  override createScanStream(): undefined {
    return undefined;
  }
}

/**
 * Resolves when the directory is being watched; from then on nothing that happens in it is missed.
 * `happened` gets `null` for what concerns the directory itself. Rejects where the system cannot watch it: out of watches, no permission.
 */
export async function watchDirectory(
  path: string,
  happened: (name: string | null) => void,
  failed: (error: unknown) => void,
): Promise<DirectoryWatch> {
  let dead = false;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // The directory's own notifications say enough, so nothing in it is looked at, and no file costs a watch.
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
