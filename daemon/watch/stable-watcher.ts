/**
 * Watches files until what they contain has come to rest: quiet for a while, git done, and two reads that agree.
 * The engine under the daemon's own configuration and under the `files` gift of plugins.
 */
import { cpuUsage } from "node:process";
import { setImmediate } from "node:timers/promises";
import { errorMessage } from "../errors.js";
import type { Clock, Log } from "../plugin-api/context.js";
import type { FileSet, WatchedFile } from "../plugin-api/files.js";
import { ChangeSignal } from "./change-signal.js";
import { ChangedPaths, isSomething } from "./changed-paths.js";
import type { watchDirectory } from "./directory-watch.js";
import { DirectoryWatches } from "./directory-watches.js";
import {
  type FileSnapshot,
  refreshSnapshot,
  takeSnapshot,
  touched,
  unverifiedFiles,
} from "./file-snapshot.js";
import { GitIdle, type Hold } from "./git-idle.js";
import { sameSet } from "./read-set.js";
import { pollStats } from "./stat-poll.js";

export interface SettledWatchOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds of quiet before reading. */
  readonly settle: number;
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
  readonly #options: SettledWatchOptions;
  readonly #armed: DirectoryWatches;
  readonly #bell: ChangeSignal;
  readonly #git: GitIdle;
  readonly #over = new AbortController();
  readonly #loops: Promise<unknown>;
  #settle: number;
  #wanted: readonly string[] = [];
  #last: FileSet = { files: [] };
  /** What the files contained when they were last looked at; none where all of them have to be. */
  #look: FileSnapshot | undefined;
  /** What has happened since. */
  #dirt = new ChangedPaths();
  /** Whether something that has happened is being looked at. */
  #isBusy = false;

  constructor(options: SettledWatchOptions) {
    this.#options = options;
    this.#settle = options.settle;
    this.#bell = new ChangeSignal(options.clock);
    this.#git = new GitIdle(options);
    this.#armed = new DirectoryWatches(options.log, this.#happened, options.arm);
    this.#loops = Promise.allSettled([this.#follow(), this.#glanceNowAndThen()]);
  }

  /** Why a change is not being read although it is there. */
  get held(): Hold | undefined {
    return this.#git.held;
  }

  /** Directories that are watched now. */
  get directories(): readonly string[] {
    return this.#armed.paths;
  }

  set settle(milliseconds: number) {
    this.#settle = milliseconds;
  }

  /** Watches these paths and patterns from now on. Resolves to what they contain; `changed` tells of everything later. */
  async want(wanted: readonly string[]): Promise<FileSet> {
    this.#want(wanted);
    const found = await this.#armed.aim(wanted);
    const look = await takeSnapshot(wanted, this.#options.maxBytes, undefined, found);
    if (wanted === this.#wanted) this.#look = look;
    this.#last = look.set;
    return look.set;
  }

  /** As `want`, and what is resolved to has come to rest. */
  async wantSettled(wanted: readonly string[]): Promise<FileSet> {
    this.#want(wanted);
    this.#last = await this.#settled();
    return this.#last;
  }

  #want(wanted: readonly string[]): void {
    this.#wanted = wanted;
    this.#look = undefined;
  }

  readonly #happened = (directory: string, name: string | null): void => {
    this.#dirt.add(directory, name);
    this.#bell.ring();
  };

  /** Something happened, nobody knows where. */
  #ring(): void {
    this.#dirt.addEverything();
    this.#bell.ring();
  }

  async close(): Promise<void> {
    this.#over.abort(new Error("The watch is closed."));
    await this.#armed.close();
    await this.#loops;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      this.#isBusy = false;
      await this.#bell.rung(signal);
      this.#isBusy = true;
      const wanted = this.#wanted;
      const before = this.#last;
      const files = await this.#settled().catch((thrown: unknown) => this.#giveUp(thrown));
      if (wanted !== this.#wanted || before !== this.#last) {
        // Somebody else has read meanwhile, and this may be older: once more, then.
        this.#ring();
        continue;
      }
      if (sameSet(files, before)) continue;
      this.#last = files;
      this.#tell(files);
    }
  }

  /** Until the next event, which is tried as if nothing had happened. */
  #giveUp(thrown: unknown): FileSet {
    this.#over.signal.throwIfAborted();
    this.#dirt.addEverything();
    this.#options.log.error("Changed files cannot be read", { reason: errorMessage(thrown) });
    return this.#last;
  }

  #tell(files: FileSet): void {
    try {
      this.#options.changed(files);
    } catch (thrown) {
      this.#options.log.error("Changed files were not taken over", {
        reason: errorMessage(thrown),
      });
    }
  }

  /** What is on disk once it has come to rest, or when patience is over. */
  async #settled(): Promise<FileSet> {
    const { clock } = this.#options;
    const { signal } = this.#over;
    let since = clock.now();
    for (;;) {
      const deadline = since + Math.max(times.patience, 20 * this.#settle);
      const between = Math.min(times.betweenReads, this.#settle / 2);
      const quiet = await this.#bell.quiet(this.#settle - between, deadline, signal);
      const dirt = this.#dirt;
      this.#dirt = new ChangedPaths();
      const before = this.#bell.rings;
      const first = await this.#read(dirt);
      // What has taken longer than it should is no reason to wait longer.
      const rest = Math.max(between / 2, quiet + between - clock.now());
      const [waited] = await Promise.all([
        this.#git.around(this.#wanted, signal),
        clock.sleep(rest, signal),
      ]);
      if (waited) {
        this.#dirt.join(dirt);
        since = clock.now();
        continue;
      }
      const files = await this.#readAgain(dirt);
      if (clock.now() >= deadline) return files;
      if (before !== this.#bell.rings || !sameSet(first, files)) {
        this.#dirt.join(dirt);
        continue;
      }
      const patience = since + times.comeBack - clock.now();
      if (!this.#lacksSomething(files) || patience <= 0) return files;
      await this.#bell.rungWithin(patience, signal);
    }
  }

  /** Whether a file is missing that was there before. */
  #lacksSomething({ files }: FileSet): boolean {
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
  async #glanceNowAndThen(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#over;
    let rings = this.#bell.rings;
    while (!signal.aborted) {
      const begin = cpuUsage();
      const look = this.#look;
      const other = look && (await pollStats(this.#wanted, look, this.#givingWay()));
      const { user, system } = cpuUsage(begin);
      if (other && isSomething(other)) {
        this.#dirt.join(other);
        // What the system has told of is being looked at: ringing again would only make it wait longer.
        if (look === this.#look && rings === this.#bell.rings) this.#bell.ring();
      }
      rings = this.#bell.rings;
      await this.#pause(clock, (user + system) / 1_000);
    }
  }

  /** In the course of a glance what has happened goes first, up to a second in all. */
  #givingWay(): () => Promise<void> {
    const { clock } = this.#options;
    let patience: number = times.giveWay;
    return async () => {
      await setImmediate();
      for (; this.#isBusy && patience > 0; patience -= STEP) {
        await clock.sleep(STEP, this.#over.signal);
      }
    };
  }

  async #pause(clock: Clock, cost: number): Promise<void> {
    const { signal } = this.#over;
    const since = clock.now();
    const [often, seldom] = times.watched;
    const pause = Math.min(Math.max(often, 200 * cost), seldom);
    do await clock.sleep(times.unwatched, signal);
    while (!this.#armed.unwatchable && clock.now() - since < pause);
  }

  /** What the files contain after this has happened; only those that may be different are read. */
  async #read(dirt: ChangedPaths): Promise<FileSet> {
    const { maxBytes } = this.#options;
    const wanted = this.#wanted;
    const known = this.#look;
    const paths = known && (await touched(known, dirt));
    const look = paths
      ? await refreshSnapshot(known, paths, maxBytes)
      : await takeSnapshot(wanted, maxBytes, known, await this.#armed.aim(wanted));
    if (wanted === this.#wanted) this.#look = look;
    return look.set;
  }

  /** Once more. Where everything was read, only what may have changed without anybody having been told. */
  async #readAgain(dirt: ChangedPaths): Promise<FileSet> {
    const known = this.#look;
    if (!known || !dirt.everywhere || this.#armed.unwatchable) return this.#read(dirt);
    const look = await refreshSnapshot(known, unverifiedFiles(known), this.#options.maxBytes);
    if (this.#look === known) this.#look = look;
    return look.set;
  }
}
