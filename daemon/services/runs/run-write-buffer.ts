/**
 * Changes of records on their way into the database. In the journal they survive the daemon when `note` returns, and a power cut when `synced`
 * resolves; the tables, which have many indexes, are written later and for many runs at once, and only once for a run that has ended by then.
 */
import { errorMessage, ReeveError } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { RunFilter, RunRecord, RunState } from "../../plugin-api/state.js";
import type { Database } from "../store/database.js";
import { storeFailure } from "../store/failure.js";
import type { JournalFiles } from "./journal/files.js";
import type { Journal } from "./journal/journal.js";
import { JournalHealth } from "./journal/journal-health.js";
import type { Mark } from "./journal/mark.js";
import { type Loss, type OpenedJournal, openJournal } from "./journal/open-journal.js";
import { merge, type RunChange, recordOf, stateOf } from "./run-change.js";
import type { RunTable } from "./run-table.js";

/** Milliseconds until unawaited changes are written to the tables. */
const pause = 100;
/** Runs that have ended, written at once. */
const ended = 64;
/** Runs that go on, written at once: the oldest, since most of the others will have ended before it is their turn. */
const goingOn = 16;

export interface PendingSettings {
  readonly database: Database;
  /** Those of the journal. */
  readonly files: JournalFiles;
  readonly table: RunTable;
  readonly log: Log;
  /** Told within the transaction that writes the end of a run, with the characters that it leaves. */
  grown(characters: number): void;
  complain(thrown: unknown): void;
  /** Called with why the disk refuses the journal, and with nothing once it does not. */
  refused(thrown: unknown): void;
  /** Called with the runs that have changed in the tables. */
  changed(ids: readonly string[]): void;
  /** Called with what is missing of what was acknowledged. */
  lost(losses: readonly Loss[]): void;
}

export class RunWriteBuffer {
  readonly #with: PendingSettings;
  readonly #journal: Journal;
  readonly #mark: Mark;
  readonly #health: JournalHealth;
  /** Oldest first. */
  readonly #changes = new Map<string, RunChange>();
  /** By run, the number of its first change that is in no table; ascending. */
  readonly #since = new Map<string, number>();
  /** Those among them that have ended. */
  #ended: RunChange[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #removing: Promise<void> = Promise.resolve();
  /** Copies in progress that need the journal as it is. */
  #readers = 0;

  /** Brings into the tables what an earlier daemon has left. @throws ReeveError when that cannot be done */
  constructor(settings: PendingSettings) {
    this.#with = settings;
    const { database, files, table } = settings;
    const refused = (thrown: Error): void => {
      this.#health.refused(thrown.cause);
      this.#appendAgain(thrown);
    };
    this.#health = new JournalHealth({
      say: (thrown) => settings.refused(thrown),
      retry: () => this.#journal.retry().then(() => settings.files.demandHere()),
    });
    let opened: OpenedJournal | undefined;
    try {
      opened = openJournal({ files, database, refused });
      this.#journal = opened.journal;
      this.#mark = opened.mark;
      // Before the tables have it, so that no crash can hide it.
      const { losses, changes, isSalvaged } = opened;
      if (losses.length > 0) settings.lost(losses);
      if (changes.length > 0 || losses.length > 0) {
        database.nowOnDisk(() => {
          for (const change of changes) {
            // The journal proves what it has; a row of a damaged database may have been changed.
            if (isSalvaged && change.row) table.remove(change.id);
            table.apply(change);
          }
          this.#noteApplied(this.#journal.sequence);
        });
      }
      this.#mark.set({ sequence: this.#journal.sequence, commits: database.commits });
    } catch (thrown) {
      opened?.mark.close();
      void opened?.journal.close();
      throw storeFailure(thrown, database.path);
    }
    database.onDisk = (commits) => this.#mark.set({ commits });
  }

  /** It survives the daemon when this returns. @throws ReeveError when the disk refuses: then nothing has changed */
  note(change: RunChange): void {
    try {
      const sequence = this.#journal.append(change);
      if (!this.#since.has(change.id)) this.#since.set(change.id, sequence);
    } catch (thrown) {
      this.#health.refused(thrown);
      throw storeFailure(thrown, this.#with.database.path);
    }
    const known = this.#changes.get(change.id);
    if (known) merge(known, change);
    else this.#changes.set(change.id, change);
    if (change.end) this.#ended.push(known ?? change);
    if (this.#ended.length >= ended) this.#immediate ??= setImmediate(this.#some);
    else this.#timer ??= setTimeout(this.#some, pause);
  }

  /** Resolves when everything that was noted survives a power cut. @throws ReeveError when the disk refuses */
  async synced(): Promise<void> {
    try {
      await this.#journal.synced();
      this.#health.kept();
    } catch (thrown) {
      throw storeFailure(thrown, this.#with.database.path);
    }
  }

  /** As `synced`, for what is accepted: a later daemon has to find it. @throws ReeveError also when the directory is gone */
  async accepted(): Promise<void> {
    await this.synced();
    try {
      this.#with.files.demandHere();
    } catch (thrown) {
      this.#health.refused(thrown);
      throw thrown;
    }
  }

  /** Brings a run into the tables. @throws ReeveError when the disk refuses */
  flush(id: string): void {
    const change = this.#changes.get(id);
    if (change) this.#write([change]);
  }

  /** Brings all into the tables of which `which` says so. @throws ReeveError when the disk refuses */
  flushAll(which: (change: RunChange) => boolean = () => true): void {
    this.#write([...this.#changes.values()].filter(which));
  }

  /** Removes nothing from the journal until `work` ends. */
  async keepingJournal<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#readers += 1;
    try {
      await this.#removing;
      return await work();
    } finally {
      this.#readers -= 1;
    }
  }

  /** Records that are in no table, newest first. */
  records(filter: RunFilter, plugin: string | undefined): readonly RunRecord[] {
    const { kind, subject, state, before } = filter;
    const records: RunRecord[] = [];
    for (const change of this.#changes.values()) {
      const { row, id } = change;
      if (!row || (plugin ?? row.plugin) !== row.plugin) continue;
      if ((kind ?? row.kind) !== row.kind || (subject ?? row.subject) !== row.subject) continue;
      if (before !== undefined && id >= before) continue;
      if (state !== undefined && stateOf(change) !== state) continue;
      records.push(withoutRequest(recordOf({ ...change, row })));
    }
    return records.reverse();
  }

  /** How many records are in no table, by state. */
  *states(): Iterable<RunState> {
    for (const change of this.#changes.values()) if (change.row) yield stateOf(change);
  }

  /** What cannot be written any more is left to the next daemon. */
  async close(): Promise<void> {
    const { database, complain } = this.#with;
    this.#health.close();
    try {
      this.flushAll();
      database.nowOnDisk(() => undefined);
    } catch (thrown) {
      complain(thrown);
    }
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    await this.#removing;
    await this.#journal.close();
    await this.#mark.sync().catch(complain);
    database.onDisk = () => undefined;
    this.#mark.close();
  }

  readonly #some = (): void => {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    const some = new Set(this.#ended.slice(0, ended));
    const room = this.#changes.values();
    for (let live = 0; live < goingOn; live += 1) {
      const { value } = room.next();
      if (value) some.add(value);
    }
    try {
      this.#write([...some]);
    } catch (thrown) {
      this.#with.complain(thrown);
    }
    if (this.#ended.length >= ended) this.#immediate = setImmediate(this.#some);
    else if (this.#changes.size > 0) this.#timer = setTimeout(this.#some, pause);
  };

  #write(changes: readonly RunChange[]): void {
    if (changes.length === 0) return;
    const applied = this.#appliedWithout(new Set(changes));
    try {
      this.#with.database.now(() => {
        for (const change of changes) this.#apply(change);
        this.#noteApplied(applied);
      });
    } catch (thrown) {
      if (thrown instanceof ReeveError) throw thrown;
      this.#writeEach(changes);
    }
    this.#with.changed(changes.map(({ id }) => id));
    for (const { id } of changes) {
      this.#changes.delete(id);
      this.#since.delete(id);
    }
    this.#ended = this.#ended.filter(({ id }) => this.#changes.has(id));
    this.#removeSegments(applied);
  }

  /** One that the tables do not take must not keep the others out. */
  #writeEach(changes: readonly RunChange[]): void {
    for (const change of changes) {
      try {
        this.#with.database.now(() => this.#apply(change));
      } catch (thrown) {
        if (thrown instanceof ReeveError) throw thrown;
        const reason = errorMessage(thrown);
        this.#with.log.error("a run cannot be recorded", { run: change.id, reason });
      }
    }
  }

  #apply(change: RunChange): void {
    this.#with.table.apply(change);
    if (change.end) this.#with.grown(change.end.size);
  }

  /** The number up to which the tables have everything once these changes are in them. */
  #appliedWithout(written: ReadonlySet<RunChange>): number {
    for (const [id, change] of this.#changes) {
      if (!written.has(change)) return (this.#since.get(id) ?? 1) - 1;
    }
    return this.#journal.sequence;
  }

  /** Within a transaction. */
  #noteApplied(sequence: number): void {
    this.#with.database
      .statement("UPDATE journal SET epoch = ?, sequence = ?")
      .run(this.#journal.epoch, sequence);
  }

  #removeSegments(applied: number): void {
    if (this.#readers > 0) return;
    const numbers = this.#journal.unneeded(applied);
    if (numbers.length === 0) return;
    this.#removing = this.#removing.then(async () => {
      try {
        this.#with.database.nowOnDisk(() => undefined);
        await this.#journal.remove(numbers);
      } catch (thrown) {
        this.#with.complain(thrown);
      }
    });
  }

  /** The disk may have dropped any of what it did not confirm. */
  #appendAgain(thrown: unknown): void {
    this.#with.complain(thrown);
    try {
      this.#since.clear();
      for (const change of this.#changes.values()) {
        this.#since.set(change.id, this.#journal.append(change));
      }
    } catch (again) {
      this.#with.complain(again);
    }
  }
}

const withoutRequest = ({ request: _request, ...record }: RunRecord): RunRecord => record;
