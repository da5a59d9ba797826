/**
 * Watches files and reports stable contents: a quiet period, git idle, and two equal reads. Used for the daemon's own
 * configuration and for the `files` service of plugins.
 */
import { cpuUsage } from "node:process";
import { setImmediate } from "node:timers/promises";
import { errorMessage } from "../errors.js";
import { type Clock, type Log } from "../plugin-api/context.js";
import { type FileSet, type WatchedFile } from "../plugin-api/files.js";
import { steady } from "../services/clock.js";
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
import { type ReadLimits, sameSet } from "./read-files.js";
import { pollStats } from "./stat-poll.js";

export interface StableWatcherOptions extends ReadLimits {
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds of quiet before reading. */
  readonly quietTime: number;
  /** Milliseconds after which changes are read though they go on. @default 20 × `quietTime`, at least 1 s */
  readonly maxWait?: number | undefined;
  /** Called with the whole set whenever it changes. */
  readonly changed: (files: FileSet) => void;
  /** Watches one directory. @default by the system's notifications */
  readonly arm?: typeof watchDirectory;
}

/** Milliseconds. */
const times = {
  /** Maximum time between two reads that must agree; the second ends the quiet time. */
  betweenReads: 50,
  /** Time for a missing file to reappear: editors move a file away and write a new one. */
  comeBack: 500,
  /** A stream of edits is read after this time, or after twenty times the quiet time if that is longer. */
  patience: 1_000,
  /** Interval between polls of the watched directories' identities. */
  directories: 500,
  /** Interval between polls of files in directories that cannot be watched. */
  unwatched: 1_000,
  /**
   * Interval between polls of all other files: network and bind mounts do not report remote changes. The interval
   * grows to the second value to keep the cost below 0.5 %.
   */
  watched: [2_000, 30_000],
  /** Total time that a poll yields to reported changes. */
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
  /** The last snapshot; absent if all files must be read. */
  #snapshot: FileSnapshot | undefined;
  /** Changes since the last snapshot. */
  #changedPaths = new ChangedPaths();
  /** Whether a reported change is being processed. */
  #isBusy = false;

  constructor(options: StableWatcherOptions) {
    this.#options = options;
    this.#quietTime = options.quietTime;
    this.#changeSignal = new ChangeSignal(steady(options.clock));
    this.#git = new GitIdle(options);
    this.#directoryWatches = new DirectoryWatches(options.log, this.#happened, options.arm);
    this.#loops = Promise.allSettled([
      this.#follow(),
      this.#pollPeriodically(),
      this.#pollDirectories(),
    ]);
  }

  /** The reason why a change is not read yet. */
  get held(): Hold | undefined {
    return this.#git.held;
  }

  /** The watched directories. */
  get directories(): readonly string[] {
    return this.#directoryWatches.paths;
  }

  set quietTime(milliseconds: number) {
    this.#quietTime = milliseconds;
  }

  /** Watches these paths and patterns. Resolves to their files; `changed` reports later changes. */
  async watch(wanted: readonly string[]): Promise<FileSet> {
    this.#watch(wanted);
    const found = await this.#directoryWatches.aim(wanted);
    const snapshot = await takeSnapshot(wanted, this.#options, undefined, found);
    if (wanted === this.#wanted) this.#snapshot = snapshot;
    this.#last = snapshot.set;
    return snapshot.set;
  }

  /** As `watch`, but resolves to stable files. */
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

  /** Reports a change at an unknown path. */
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
        // Another read finished meanwhile and this one may be older: read again.
        this.#notifyEverything();
        continue;
      }
      if (sameSet(files, before)) continue;
      this.#last = files;
      this.#reportChange(files);
    }
  }

  /** Waits for the next event after a failed read. */
  #giveUp(thrown: unknown): FileSet {
    this.#closing.signal.throwIfAborted();
    this.#changedPaths.addEverything();
    this.#options.log.error("Cannot read changed files", { reason: errorMessage(thrown) });
    return this.#last;
  }

  #reportChange(files: FileSet): void {
    try {
      this.#options.changed(files);
    } catch (thrown) {
      this.#options.log.error("Cannot apply changed files", {
        reason: errorMessage(thrown),
      });
    }
  }

  /** Reads the files once they are stable, or at the deadline. */
  async #stableFiles(): Promise<FileSet> {
    const clock = steady(this.#options.clock);
    const { signal } = this.#closing;
    let since = clock.now();
    for (;;) {
      const { maxWait = Math.max(times.patience, 20 * this.#quietTime) } = this.#options;
      const deadline = since + maxWait;
      const between = Math.min(times.betweenReads, this.#quietTime / 2);
      const quiet = await this.#changeSignal.quiet(this.#quietTime - between, deadline, signal);
      const changedPaths = this.#changedPaths;
      this.#changedPaths = new ChangedPaths();
      const before = this.#changeSignal.count;
      const first = await this.#read(changedPaths);
      // Do not extend the wait by the time that reading took.
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

  /** Whether a file of the previous set is missing. */
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

  /** Polls, because the system may lose notifications and some file systems have none. */
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
        // A reported change is being processed: another notification would only delay it.
        if (snapshot === this.#snapshot && count === this.#changeSignal.count)
          this.#changeSignal.notify();
      }
      count = this.#changeSignal.count;
      await this.#pause(steady(clock), (user + system) / 1_000);
    }
  }

  /** A directory that is replaced together with its parent reports nothing, and its watch sees no later change. */
  async #pollDirectories(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      await clock.sleep(times.directories, signal);
      if (!this.#isBusy && (await this.#directoryWatches.isMoved())) this.#notifyEverything();
    }
  }

  /** Lets reported changes go first during a poll, up to a second in total. */
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

  /** Reads the files that may have changed. */
  async #read(changedPaths: ChangedPaths): Promise<FileSet> {
    const wanted = this.#wanted;
    const known = this.#snapshot;
    const paths = known && (await staleFiles(known, changedPaths));
    const snapshot = paths
      ? await refreshSnapshot(known, paths, this.#options)
      : await takeSnapshot(wanted, this.#options, known, await this.#directoryWatches.aim(wanted));
    if (wanted === this.#wanted) this.#snapshot = snapshot;
    return snapshot.set;
  }

  /** Reads again. After a full read, reads only the files whose changes may be unreported. */
  async #readAgain(changedPaths: ChangedPaths): Promise<FileSet> {
    const known = this.#snapshot;
    if (!known || !changedPaths.everywhere || this.#directoryWatches.unwatchable)
      return this.#read(changedPaths);
    const snapshot = await refreshSnapshot(known, unverifiedFiles(known), this.#options);
    if (this.#snapshot === known) this.#snapshot = snapshot;
    return snapshot.set;
  }
}
