/**
 * Changes of records on their way into the database. They are safe in a journal when `note` returns; the tables, which have many indexes, are
 * written later and for many runs at once, and only once for a run that has ended by then.
 */
import { errorMessage, ReeveError } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { RunFilter, RunRecord, RunState } from "../../plugin-api/state.js";
import type { Database } from "../store/database.js";
import { storeFailure } from "../store/failure.js";
import { Journal } from "./journal.js";
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
  /** Where the journal is. */
  readonly directory: string;
  readonly table: RunTable;
  readonly log: Log;
  /** Told within the transaction that writes the end of a run, with the characters that it leaves. */
  grown(characters: number): void;
  complain(thrown: unknown): void;
  /** Told which runs have changed in the tables. */
  changed(ids: readonly string[]): void;
}

export class RunWriteBuffer {
  readonly #with: PendingSettings;
  readonly #journal: Journal;
  /** Oldest first. */
  readonly #changes = new Map<string, RunChange>();
  /** Those among them that have ended. */
  #ended: RunChange[] = [];
  /** What is needed of the files of the journal that are no longer written. */
  readonly #earlier = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** Brings into the tables what an earlier daemon has left. @throws ReeveError when that cannot be done */
  constructor(settings: PendingSettings) {
    this.#with = settings;
    this.#journal = new Journal(settings.directory);
    if (!this.#journal.hasEarlier) return;
    settings.database.now(() => {
      for (const change of this.#journal.left()) settings.table.apply(change);
    });
    this.#journal.forgetEarlier();
  }

  /** It survives the daemon when this returns. @throws ReeveError when the disk refuses: then nothing has changed */
  note(change: RunChange): void {
    try {
      if (this.#journal.isLong && this.#earlier.size === 0) this.#turn();
      this.#journal.append(change);
    } catch (thrown) {
      throw storeFailure(thrown, this.#with.database.path);
    }
    const known = this.#changes.get(change.id);
    if (known) merge(known, change);
    else this.#changes.set(change.id, change);
    if (change.end) this.#ended.push(known ?? change);
    if (this.#ended.length >= ended) this.#immediate ??= setImmediate(this.#some);
    else this.#timer ??= setTimeout(this.#some, pause);
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
  close(): void {
    try {
      this.flushAll();
    } catch (thrown) {
      this.#with.complain(thrown);
    }
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#journal.close();
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
    try {
      this.#with.database.now(() => {
        for (const change of changes) this.#apply(change);
      });
    } catch (thrown) {
      if (thrown instanceof ReeveError) throw thrown;
      this.#writeEach(changes);
    }
    this.#with.changed(changes.map(({ id }) => id));
    for (const { id } of changes) {
      this.#changes.delete(id);
      this.#earlier.delete(id);
    }
    this.#ended = this.#ended.filter(({ id }) => this.#changes.has(id));
    if (this.#changes.size === 0) this.#journal.forget();
    else if (this.#earlier.size === 0) this.#journal.forgetEarlier();
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

  #turn(): void {
    this.#journal.turn();
    for (const id of this.#changes.keys()) this.#earlier.add(id);
  }
}

const withoutRequest = ({ request: _request, ...record }: RunRecord): RunRecord => record;
