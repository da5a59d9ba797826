/**
 * Watches files until what they contain has come to rest: quiet for a while, git done, and two reads that agree.
 * The engine under the daemon's own configuration and under the `files` gift of plugins.
 */
import { cpuUsage } from "node:process";
import { setImmediate } from "node:timers/promises";
import { errorMessage } from "../errors.js";
import { type Clock, type Log } from "../plugin-api/context.js";
import { type FileSet, type WatchedFile } from "../plugin-api/files.js";
import { ChangedPaths, ChangeSignal, isSomething } from "./changes.js";
import { DirectoryWatches, type watchDirectory } from "./directory-watches.js";
import {
  type FileSnapshot,
  refreshSnapshot,
  staleFiles,
  takeSnapshot,
  unverifiedFiles,
} from "./file-snapshot.js";
import { GitIdle, type Hold } from "./git-idle.js";
import { sameSet } from "./read-files.js";
import { pollStats } from "./stat-poll.js";

export interface StableWatcherOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds of quiet before reading. */
  readonly quietTime: number;
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** Called with the whole set each time it differs from the one before. */
  readonly changed: (files: FileSet) => void;
  /** How one directory is watched. @default by the system's notifications */
  readonly arm?: typeof watchDirectory;
}

/** Milliseconds. */
const times = {
  /** Between two reads that have to agree, at most; the second one ends the quiet time. */
  betweenReads: 50,
  /** A file that was there is given this long to come back: editors move it away and write a new one. */
  comeBack: 500,
  /** A stream of edits is read after this long, quiet or not; or after twenty times `settle`, if that is longer. */
  patience: 1_000,
  /** Between two glances at files whose directories cannot be watched. */
  unwatched: 1_000,
  /**
   * Between two glances at all others: network and bind mounts tell nobody about changes made elsewhere. A glance at
   * many files costs something, so it is taken as seldom as keeps that below a two-hundredth, up to the second figure.
   */
  watched: [2_000, 30_000],
  /** A glance waits this long for what has happened, in all. */
  giveWay: 1_000,
} as const;

/** Milliseconds. */
const STEP = 20;

export class StableWatcher {
  readonly #options: StableWatcherOptions;
  readonly #directoryWatches: DirectoryWatches;
  readonly #changeSignal: ChangeSignal;
  readonly #git: GitIdle;
  readonly #closing = new AbortController();
  readonly #loops: Promise<unknown>;
  #quietTime: number;
  #wanted: readonly string[] = [];
  #last: FileSet = { files: [] };
  /** What the files contained when they were last looked at; none where all of them have to be. */
  #snapshot: FileSnapshot | undefined;
  /** What has happened since. */
  #changedPaths = new ChangedPaths();
  /** Whether something that has happened is being looked at. */
  #isBusy = false;

  constructor(options: StableWatcherOptions) {
    this.#options = options;
    this.#quietTime = options.quietTime;
    this.#changeSignal = new ChangeSignal(options.clock);
    this.#git = new GitIdle(options);
    this.#directoryWatches = new DirectoryWatches(options.log, this.#happened, options.arm);
    this.#loops = Promise.allSettled([this.#follow(), this.#pollPeriodically()]);
  }

  /** Why a change is not being read although it is there. */
  get held(): Hold | undefined {
    return this.#git.held;
  }

  /** Directories that are watched now. */
  get directories(): readonly string[] {
    return this.#directoryWatches.paths;
  }

  set quietTime(milliseconds: number) {
    this.#quietTime = milliseconds;
  }

  /** Watches these paths and patterns from now on. Resolves to what they contain; `changed` tells of everything later. */
  async watch(wanted: readonly string[]): Promise<FileSet> {
    this.#watch(wanted);
    const found = await this.#directoryWatches.aim(wanted);
    const snapshot = await takeSnapshot(wanted, this.#options.maxBytes, undefined, found);
    if (wanted === this.#wanted) this.#snapshot = snapshot;
    this.#last = snapshot.set;
    return snapshot.set;
  }

  /** As `want`, and what is resolved to has come to rest. */
  async watchStable(wanted: readonly string[]): Promise<FileSet> {
    this.#watch(wanted);
    this.#last = await this.#stableFiles();
    return this.#last;
  }

  #watch(wanted: readonly string[]): void {
    this.#wanted = wanted;
    this.#snapshot = undefined;
  }

  readonly #happened = (directory: string, name: string | null): void => {
    this.#changedPaths.add(directory, name);
    this.#changeSignal.notify();
  };

  /** Something happened, nobody knows where. */
  #notifyEverything(): void {
    this.#changedPaths.addEverything();
    this.#changeSignal.notify();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("The watch is closed."));
    await this.#directoryWatches.close();
    await this.#loops;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#isBusy = false;
      await this.#changeSignal.changed(signal);
      this.#isBusy = true;
      const wanted = this.#wanted;
      const before = this.#last;
      const files = await this.#stableFiles().catch((thrown: unknown) => this.#giveUp(thrown));
      if (wanted !== this.#wanted || before !== this.#last) {
        // Somebody else has read meanwhile, and this may be older: once more, then.
        this.#notifyEverything();
        continue;
      }
      if (sameSet(files, before)) continue;
      this.#last = files;
      this.#reportChange(files);
    }
  }

  /** Until the next event, which is tried as if nothing had happened. */
  #giveUp(thrown: unknown): FileSet {
    this.#closing.signal.throwIfAborted();
    this.#changedPaths.addEverything();
    this.#options.log.error("Changed files cannot be read", { reason: errorMessage(thrown) });
    return this.#last;
  }

  #reportChange(files: FileSet): void {
    try {
      this.#options.changed(files);
    } catch (thrown) {
      this.#options.log.error("Changed files were not taken over", {
        reason: errorMessage(thrown),
      });
    }
  }

  /** What is on disk once it has come to rest, or when patience is over. */
  async #stableFiles(): Promise<FileSet> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    let since = clock.now();
    for (;;) {
      const deadline = since + Math.max(times.patience, 20 * this.#quietTime);
      const between = Math.min(times.betweenReads, this.#quietTime / 2);
      const quiet = await this.#changeSignal.quiet(this.#quietTime - between, deadline, signal);
      const changedPaths = this.#changedPaths;
      this.#changedPaths = new ChangedPaths();
      const before = this.#changeSignal.count;
      const first = await this.#read(changedPaths);
      // What has taken longer than it should is no reason to wait longer.
      const rest = Math.max(between / 2, quiet + between - clock.now());
      const [waited] = await Promise.all([
        this.#git.untilIdle(this.#wanted, signal),
        clock.sleep(rest, signal),
      ]);
      if (waited) {
        this.#changedPaths.join(changedPaths);
        since = clock.now();
        continue;
      }
      const files = await this.#readAgain(changedPaths);
      if (clock.now() >= deadline) return files;
      if (before !== this.#changeSignal.count || !sameSet(first, files)) {
        this.#changedPaths.join(changedPaths);
        continue;
      }
      const patience = since + times.comeBack - clock.now();
      if (!this.#lacksFile(files) || patience <= 0) return files;
      await this.#changeSignal.changedWithin(patience, signal);
    }
  }

  /** Whether a file is missing that was there before. */
  #lacksFile({ files }: FileSet): boolean {
    const lost: WatchedFile[] = [];
    for (const [index, file] of this.#last.files.entries()) {
      const now = files[index];
      if (now === file || file.error) continue;
      if (now?.path !== file.path || now.error) lost.push(file);
    }
    if (lost.length === 0) return false;
    const there = new Set(files.filter(({ error }) => !error).map(({ path }) => path));
    return lost.some(({ path }) => !there.has(path));
  }

  /** The system may lose notifications, and some file systems have none. */
  async #pollPeriodically(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    let count = this.#changeSignal.count;
    while (!signal.aborted) {
      const begin = cpuUsage();
      const snapshot = this.#snapshot;
      const other =
        snapshot && (await pollStats(this.#wanted, snapshot, this.#yieldingToChanges()));
      const { user, system } = cpuUsage(begin);
      if (other && isSomething(other)) {
        this.#changedPaths.join(other);
        // What the system has told of is being looked at: ringing again would only make it wait longer.
        if (snapshot === this.#snapshot && count === this.#changeSignal.count)
          this.#changeSignal.notify();
      }
      count = this.#changeSignal.count;
      await this.#pause(clock, (user + system) / 1_000);
    }
  }

  /** In the course of a glance what has happened goes first, up to a second in all. */
  #yieldingToChanges(): () => Promise<void> {
    const { clock } = this.#options;
    let patience: number = times.giveWay;
    return async () => {
      await setImmediate();
      for (; this.#isBusy && patience > 0; patience -= STEP) {
        await clock.sleep(STEP, this.#closing.signal);
      }
    };
  }

  async #pause(clock: Clock, cost: number): Promise<void> {
    const { signal } = this.#closing;
    const since = clock.now();
    const [often, seldom] = times.watched;
    const pause = Math.min(Math.max(often, 200 * cost), seldom);
    do await clock.sleep(times.unwatched, signal);
    while (!this.#directoryWatches.unwatchable && clock.now() - since < pause);
  }

  /** What the files contain after this has happened; only those that may be different are read. */
  async #read(changedPaths: ChangedPaths): Promise<FileSet> {
    const { maxBytes } = this.#options;
    const wanted = this.#wanted;
    const known = this.#snapshot;
    const paths = known && (await staleFiles(known, changedPaths));
    const snapshot = paths
      ? await refreshSnapshot(known, paths, maxBytes)
      : await takeSnapshot(wanted, maxBytes, known, await this.#directoryWatches.aim(wanted));
    if (wanted === this.#wanted) this.#snapshot = snapshot;
    return snapshot.set;
  }

  /** Once more. Where everything was read, only what may have changed without anybody having been told. */
  async #readAgain(changedPaths: ChangedPaths): Promise<FileSet> {
    const known = this.#snapshot;
    if (!known || !changedPaths.everywhere || this.#directoryWatches.unwatchable)
      return this.#read(changedPaths);
    const snapshot = await refreshSnapshot(known, unverifiedFiles(known), this.#options.maxBytes);
    if (this.#snapshot === known) this.#snapshot = snapshot;
    return snapshot.set;
  }
}
