/**
 * The truth about what was accepted, until the database has it: records in segments that are filled with zeros ahead, so that a record costs the
 * disk no change of the file's size. A record survives the daemon when `append` returns, and a power cut when `synced` resolves. Calls during a
 * sync share the next one: nothing waits for a timer.
 */
import { encodeChange, type RunChange } from "../run-change.js";
import type { JournalFile, JournalFiles } from "./files.js";
import type { Mark } from "./mark.js";
import { type FoundJournal, type KeptSegment, segmentName } from "./read-journal.js";
import { encodeRecord, encodeSegment, headerLength, type RecordKind } from "./record.js";

const segmentLength = 4 * 1024 * 1024;
/** Segments that are kept although the database has all of them: what rebuilds a damaged one. */
const keptAlways = 2;

export interface JournalOptions {
  readonly files: JournalFiles;
  readonly found: FoundJournal;
  readonly mark: Mark;
  /** Called when the disk refused a sync: what the database does not have must be appended again, since the disk may have dropped any of it. Its cause is the disk's error. */
  refused(thrown: Error): void;
  /** Bytes of a segment. */
  readonly length?: number;
}

interface OpenSegment extends KeptSegment {
  last: number;
  readonly file: JournalFile;
  /** Bytes in use. */
  used: number;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #epoch: number;
  readonly #length: number;
  #sequence: number;
  #synced: number;
  #crc: number;
  #number: number;
  /** First record of the newest segment that was never acknowledged; 0: none. */
  #voidFrom: number;
  #current: OpenSegment | undefined;
  #closed: KeptSegment[];
  /** By unfinished run, the segment it was accepted in. */
  readonly #accepted = new Map<string, KeptSegment>();
  /** Written since the last sync. */
  readonly #dirty = new Set<OpenSegment>();
  /** What the sync in progress reads: a file that is closed meanwhile may be another one by then. */
  #syncing: ReadonlySet<OpenSegment> = new Set();
  #namesChanged = false;
  #prepared: { readonly number: number; readonly file: JournalFile } | undefined;
  #preparing: Promise<void> | undefined;
  /** The sync that began last, and the one behind it. */
  #inFlight: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: JournalOptions) {
    const { found, mark, files, length = segmentLength } = options;
    this.#options = options;
    this.#length = length;
    this.#epoch = mark.value.epoch;
    this.#sequence = found.sequence;
    this.#synced = found.acknowledged;
    this.#voidFrom = found.acknowledged < found.sequence ? found.acknowledged + 1 : 0;
    this.#crc = found.crc;
    this.#number = found.number;
    this.#closed = [...found.segments];
    for (const segment of found.segments) {
      for (const id of segment.unfinished) this.#accepted.set(id, segment);
    }
    const { prepared } = found;
    if (prepared !== undefined) {
      this.#prepared = { number: prepared, file: files.open(segmentName(prepared)) };
    }
  }

  /** Of the newest record. */
  get sequence(): number {
    return this.#sequence;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Its sequence. @throws an error of the operating system when it cannot be written; then nothing is */
  append(change: RunChange): number {
    const segment = this.#writable();
    const sequence = this.#sequence + 1;
    const kind = kindOf(change);
    const { bytes, crc } = encodeRecord(
      {
        ...{ kind, epoch: this.#epoch, sequence, synced: this.#synced, previous: this.#crc },
        id: change.id,
      },
      encodeChange(change),
    );
    try {
      segment.file.write(bytes, segment.used);
    } catch (thrown) {
      erase(segment);
      throw thrown;
    }
    segment.used += bytes.length;
    segment.last = sequence;
    this.#dirty.add(segment);
    this.#sequence = sequence;
    this.#crc = crc;
    if (kind === "accepted") this.#accept(change.id, segment);
    else if (kind === "ended") this.#forget(change.id);
    return sequence;
  }

  /** Resolves when every record so far is on the disk. @throws an error of the operating system when the disk refuses */
  synced(): Promise<void> {
    if (this.#dirty.size === 0) return this.#next ?? this.#inFlight;
    if (!this.#next) {
      const next = this.#inFlight
        .catch(() => undefined)
        .then(() => {
          this.#next = undefined;
          this.#inFlight = next;
          return this.#sync();
        });
      this.#next = next;
    }
    return this.#next;
  }

  /** Writes something and waits for it. @throws an error of the operating system when the disk refuses */
  async retry(): Promise<void> {
    this.#writable();
    await this.synced();
  }

  /** Segments that nothing needs any more once the database, with all records up to `applied`, is on the disk. */
  unneeded(applied: number): readonly number[] {
    return this.#closed
      .slice(0, -keptAlways)
      .filter(({ last, unfinished }) => last <= applied && unfinished.size === 0)
      .map(({ number }) => number);
  }

  async remove(numbers: readonly number[]): Promise<void> {
    const removed = new Set(numbers);
    this.#closed = this.#closed.filter(({ number }) => !removed.has(number));
    for (const number of numbers) this.#options.files.remove(segmentName(number));
    await this.#options.files.syncNames();
  }

  /** Syncs what it can; the next daemon goes on in a new segment. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.synced().catch(() => undefined);
    await this.#preparing;
    this.#current?.file.close();
    this.#prepared?.file.close();
  }

  #accept(id: string, segment: KeptSegment): void {
    this.#forget(id);
    segment.unfinished.add(id);
    this.#accepted.set(id, segment);
  }

  #forget(id: string): void {
    this.#accepted.get(id)?.unfinished.delete(id);
    this.#accepted.delete(id);
  }

  #writable(): OpenSegment {
    const current = this.#current;
    if (current && current.used < this.#length) return current;
    const { files } = this.#options;
    const { number, file } = this.#prepared ?? this.#create();
    try {
      const header = { epoch: this.#epoch, number, first: this.#sequence + 1 };
      file.write(encodeSegment({ ...header, voidFrom: this.#voidFrom }), 0);
    } catch (thrown) {
      if (number !== this.#prepared?.number) {
        file.close();
        files.remove(segmentName(number));
      }
      throw thrown;
    }
    this.#prepared = undefined;
    this.#number = Math.max(this.#number, number);
    this.#voidFrom = 0;
    this.#leave();
    // The file of the segment before is closed once it is on the disk.
    if (this.#dirty.size > 0) void this.synced().catch(() => undefined);
    this.#current = {
      ...{ number, file, used: headerLength, last: this.#sequence, unfinished: new Set() },
    };
    this.#dirty.add(this.#current);
    this.#preparing ??= this.#prepare().finally(() => {
      this.#preparing = undefined;
    });
    return this.#current;
  }

  #create(): { readonly number: number; readonly file: JournalFile } {
    const number = this.#number + 1;
    const file = this.#options.files.open(segmentName(number));
    this.#number = number;
    this.#namesChanged = true;
    return { number, file };
  }

  /** The current segment is written no more; its file stays open until it is synced. */
  #leave(): void {
    const segment = this.#current;
    if (!segment) return;
    this.#current = undefined;
    this.#closed.push(segment);
    if (!this.#dirty.has(segment) && !this.#syncing.has(segment)) segment.file.close();
  }

  /** Without it the next segment grows as it is written, which costs the disk more. */
  async #prepare(): Promise<void> {
    if (this.#isClosed) return;
    let created: { readonly number: number; readonly file: JournalFile } | undefined;
    try {
      created = this.#create();
      await created.file.fill(this.#length);
      await created.file.sync();
      await this.#options.files.syncNames();
      this.#prepared = created;
    } catch {
      created?.file.close();
      if (created) this.#options.files.remove(segmentName(created.number));
    }
  }

  async #sync(): Promise<void> {
    const { files, mark } = this.#options;
    const upTo = this.#sequence;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    this.#syncing = new Set(dirty);
    const named = this.#namesChanged;
    this.#namesChanged = false;
    const synced = await Promise.allSettled([
      ...dirty.map(({ file }) => file.sync()),
      ...(named ? [files.syncNames()] : []),
    ]);
    this.#syncing = new Set();
    const refused = synced.find((each) => each.status === "rejected");
    if (refused) {
      this.#poison(dirty, refused.reason);
      throw refused.reason;
    }
    this.#synced = upTo;
    try {
      mark.set({ sequence: upTo });
    } catch {
      // The records are on the disk; the mark of a later sync says so.
    }
    for (const segment of dirty) {
      if (segment !== this.#current && !this.#dirty.has(segment)) segment.file.close();
    }
  }

  /** A second sync of the same file would succeed without writing what the first one could not. */
  #poison(dirty: readonly OpenSegment[], reason: unknown): void {
    this.#voidFrom = this.#synced + 1;
    const current = this.#current;
    if (current) this.#dirty.add(current);
    this.#leave();
    for (const segment of new Set([...dirty, ...this.#dirty])) segment.file.close();
    this.#dirty.clear();
    this.#options.refused(new Error("The disk refused to keep the journal.", { cause: reason }));
  }
}

/** A full disk takes the beginning of a record: its header alone would say that a run was accepted, began or ended. */
function erase({ file, used }: OpenSegment): void {
  try {
    file.write(Buffer.alloc(headerLength), used);
  } catch {
    // Nothing of it was written.
  }
}

const kindOf = ({ row, moved, end }: RunChange): RecordKind => {
  if (row) return "accepted";
  if (end) return "ended";
  return moved?.state === "running" ? "started" : "changed";
};
