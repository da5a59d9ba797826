/** Waits until git is done with what it is in the middle of. */

import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Clock, type Log } from "../plugin-api/context.js";
import { type FileSystem, fileSystemOf, networkMounts, remoteFileSystem } from "./file-system.js";

/** What git is in the middle of, `a rebase`, and since when it has been waited for. */
export interface Hold {
  readonly activity: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Milliseconds. */
const times = {
  /** Between two looks at whether git is done. */
  between: 100,
  /** After this long a hold is worth a word in the log. */
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

  /** What is being waited for. */
  get held(): Hold | undefined {
    return this.#held;
  }

  /** Resolves when git rests around all of these paths and patterns: to whether there was anything to wait for. */
  async untilIdle(wanted: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (wanted !== this.#wanted) this.#disks = disksOf(wanted);
    this.#wanted = wanted;
    const directories = await this.#disks;
    const since = this.#clock.now();
    for (let said = false; ; ) {
      const activity = await this.#activity(directories);
      if (activity === undefined) break;
      this.#held = { activity, since };
      if (!said && this.#clock.now() - since >= times.worthSaying) {
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

/** The directories of these paths and patterns, and how to look at them. */
async function disksOf(wanted: readonly string[]): Promise<ReadonlyMap<string, FileSystem>> {
  const mounts = networkMounts();
  const directories = [...new Set(wanted.map((each) => dirname(each)))];
  return new Map(
    await Promise.all(
      directories.map(async (each) => [each, await fileSystemOf(each, mounts)] as const),
    ),
  );
}

/** A lock that is older was left behind by a git that died. Milliseconds. */
const FORGOTTEN = 60_000;

const operations: ReadonlyArray<readonly [name: string, what: string]> = [
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
];

/** What git is in the middle of in the repository around `directory`: `a rebase`; nothing when it rests. */
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

/** The repository's own directory: `.git`, or where the file `.git` of a linked work tree points. */
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
