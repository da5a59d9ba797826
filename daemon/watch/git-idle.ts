/** Waits until git finishes its operation. */

import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Clock, type Log } from "../plugin-api/context.js";
import { startTimer } from "../services/clock.js";
import { type FileSystem, fileSystemOf, networkMounts, remoteFileSystem } from "./file-system.js";

/** The current git operation, such as `a rebase`, and since when the watcher waits for it. */
export interface Hold {
  readonly activity: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Milliseconds. */
const times = {
  /** Polling interval. */
  between: 100,
  /** The wait is logged after this time. */
  worthSaying: 10_000,
} as const;

export class GitIdle {
  readonly #clock: Clock;
  readonly #log: Log;
  #held: Hold | undefined;
  #wanted: readonly string[] = [];
  #disks: Promise<ReadonlyMap<string, FileSystem>> = Promise.resolve(new Map());

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The current wait. */
  get held(): Hold | undefined {
    return this.#held;
  }

  /** Resolves once git is idle at all these paths, to whether it had to wait. */
  async untilIdle(wanted: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (wanted !== this.#wanted) this.#disks = disksOf(wanted);
    this.#wanted = wanted;
    const directories = await this.#disks;
    const timer = startTimer(this.#clock);
    for (let said = false; ; ) {
      const activity = await this.#activity(directories);
      if (activity === undefined) break;
      this.#held = { activity, since: timer.at };
      if (!said && timer.elapsed() >= times.worthSaying) {
        said = true;
        this.#log.warn(`Changed files are read when git is done with ${activity}`);
      }
      await this.#clock.sleep(times.between, signal);
    }
    const waited = this.#held !== undefined;
    this.#held = undefined;
    return waited;
  }

  async #activity(directories: ReadonlyMap<string, FileSystem>): Promise<string | undefined> {
    for (const [directory, disk] of directories) {
      const activity = await gitActivity(directory, this.#clock.now(), disk);
      if (activity !== undefined) return activity;
    }
    return undefined;
  }
}

/** The directories of these paths and patterns, with their file systems. */
async function disksOf(wanted: readonly string[]): Promise<ReadonlyMap<string, FileSystem>> {
  const mounts = networkMounts();
  const directories = [...new Set(wanted.map((each) => dirname(each)))];
  return new Map(
    await Promise.all(
      directories.map(async (each) => [each, await fileSystemOf(each, mounts)] as const),
    ),
  );
}

/** An older lock is from a git process that died. Milliseconds. */
const FORGOTTEN = 60_000;

const operations: ReadonlyArray<readonly [name: string, what: string]> = [
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
];

/** The current git operation of the repository that contains `directory`: `a rebase`; `undefined` if idle. */
export async function gitActivity(
  directory: string,
  now: number,
  disk: FileSystem = remoteFileSystem,
): Promise<string | undefined> {
  const git = await gitDirectory(directory, disk);
  if (git === undefined) return undefined;
  const lock = await disk.stat(join(git, "index.lock"));
  if (lock && now - lock.mtimeMs < FORGOTTEN) return "a change of the work tree";
  for (const [name, what] of operations) {
    if (await disk.stat(join(git, name))) return what;
  }
  return undefined;
}

/** The repository's `.git` directory, or the target of a linked work tree's `.git` file. */
async function gitDirectory(directory: string, disk: FileSystem): Promise<string | undefined> {
  const candidate = join(directory, ".git");
  const stats = await disk.stat(candidate);
  if (stats?.isDirectory()) return candidate;
  if (stats?.isFile()) {
    const [, target] = /^gitdir: (.+)$/m.exec(await readFile(candidate, "utf8")) ?? [];
    return target === undefined ? undefined : resolve(directory, target);
  }
  const parent = dirname(directory);
  return parent === directory ? undefined : gitDirectory(parent, disk);
}
