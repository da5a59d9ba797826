/**
 * Moves the write-ahead log of an open database into its file: only here, so that the sums of the pages are on the disk before the pages change. A stop at
 * any moment leaves either the log or right sums.
 */
import { closeSync, existsSync, fdatasyncSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { bootId, type LogCommit, type PageSums } from "./page-sums.js";
import { schemaChildren } from "./schema-pages.js";
import { frameBytesAt, frameHeader, readWalHeader, type WalHeader, walOf } from "./wal.js";

export interface CheckpointOptions {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly sums: PageSums;
  /** Frames of the log after which it is moved. */
  readonly frames: number;
}

export class Checkpoints {
  readonly #with: CheckpointOptions;
  #file: number | undefined;
  #log: WalHeader | undefined;
  /** Of the newest commit in the log. */
  #frames = 0;
  #size = 0;
  #checksum = "";
  /** Since the sums were written. */
  #commits: number;
  #next: number;
  readonly #boot = bootId();

  /** SQLite's own checkpoints have to be off. */
  constructor(options: CheckpointOptions) {
    this.#with = options;
    const { committed, written, boot } = options.sums.state;
    this.#commits = (boot === this.#boot ? written : committed).commits;
    this.#next = options.frames;
    // What an earlier daemon wrote before it was killed need not be on the disk.
    this.committed(false);
  }

  /** Called after each commit, outside of a transaction. `isOnDisk`: it survives a power cut. */
  committed(isOnDisk: boolean): void {
    const { sums, frames } = this.#with;
    try {
      if (!this.#look()) return;
      this.#commits += 1;
      const written = this.#newest();
      sums.set({ written, boot: this.#boot, ...(isOnDisk && { committed: written }) });
      if (this.#frames < this.#next) return;
      this.#run("PASSIVE");
      this.#next = frames;
    } catch {
      // The commit is in the log, which grows until the disk takes the sums.
      this.#next = this.#frames + Math.ceil(frames / 4);
    }
  }

  /** Leaves no log behind, and closes the database. */
  close(): void {
    const { database, sums } = this.#with;
    try {
      this.#look();
      this.#run("TRUNCATE");
    } catch {
      this.#distrust();
    }
    database.close();
    if (this.#file !== undefined) closeSync(this.#file);
    sums.close();
  }

  /** SQLite moves the log when it closes: sums that do not know of it would make a good database look damaged. */
  #distrust(): void {
    try {
      this.#with.sums.set({ pages: 0 });
    } catch {
      // The disk refuses everything: the next start reports what it finds.
    }
  }

  #newest(): LogCommit {
    return {
      ...{ salts: this.#log?.salts ?? "", frames: this.#frames, checksum: this.#checksum },
      ...{ size: this.#size, commits: this.#commits },
    };
  }

  /** Whether there is a commit that was not seen yet. */
  #look(): boolean {
    const path = walOf(this.#with.path);
    if (this.#file === undefined && !existsSync(path)) return false;
    this.#file ??= openSync(path, "r");
    const log = readWalHeader(this.#file);
    if (log === undefined) return false;
    if (log.salts !== this.#log?.salts) this.#frames = 0;
    this.#log = log;
    const file = this.#file;
    const at = (index: number) => frameHeader(file, log, index);
    // A transaction that was undone may have left frames behind the last commit.
    for (let count = this.#end(at); count > this.#frames; count -= 1) {
      const frame = at(count - 1);
      if (frame === undefined || frame.size === 0) continue;
      this.#frames = count;
      this.#size = frame.size;
      this.#checksum = frame.checksum;
      return true;
    }
    return false;
  }

  /** How many frames this log has: those behind it are of an earlier one. */
  #end(at: (index: number) => unknown): number {
    let count = this.#frames;
    let step = 1;
    for (; at(count + step - 1); step *= 2) count += step;
    for (; step >= 1; step /= 2) if (at(count + step - 1)) count += step;
    return count;
  }

  #run(mode: "PASSIVE" | "TRUNCATE"): void {
    const { database, sums } = this.#with;
    const { summed } = sums.state;
    const salts = this.#log?.salts ?? summed.salts;
    if (summed.salts !== salts || summed.frames < this.#frames) this.#sum(salts);
    database.exec(`PRAGMA wal_checkpoint(${mode})`);
  }

  /** Those in the log, and others as they were. */
  #schemaPages(file: number, { pageSize }: WalHeader, newest: ReadonlyMap<number, number>) {
    const { sums } = this.#with;
    const content = (page: number): Buffer | undefined => {
      const index = newest.get(page);
      if (index === undefined) return sums.copyOf(page);
      const bytes = Buffer.alloc(pageSize);
      readSync(file, bytes, 0, pageSize, frameBytesAt(index, pageSize));
      return bytes;
    };
    const first = content(1);
    const pages = first ? [1, ...schemaChildren(first)] : [];
    const found = new Map<number, Buffer>();
    for (const page of pages) {
      const bytes = content(page);
      if (bytes) found.set(page, bytes);
    }
    return found;
  }

  #sum(salts: string): void {
    const { sums } = this.#with;
    const file = this.#file;
    const log = this.#log;
    if (file === undefined || log === undefined) return;
    const newest = new Map<number, number>();
    const { summed: before } = sums.state;
    const first = before.salts === salts ? before.frames : 0;
    for (let index = first; index < this.#frames; index += 1) {
      newest.set(frameHeader(file, log, index)?.page ?? 0, index);
    }
    const bytes = Buffer.alloc(log.pageSize);
    for (const [page, index] of newest) {
      if (page === 0 || page > this.#size) continue;
      readSync(file, bytes, 0, log.pageSize, frameBytesAt(index, log.pageSize));
      sums.setSum(page, bytes);
    }
    sums.setCopies(this.#schemaPages(file, log, newest));
    // Otherwise a power cut could take the log and leave its sums.
    fdatasyncSync(file);
    this.#commits = 0;
    const summed = { salts, frames: this.#frames };
    const written = this.#newest();
    const marks = { committed: written, written, boot: this.#boot };
    sums.write({ pages: this.#size, summed, ...marks });
  }
}
