/**
 * The host's database. Everything that is written within one turn of the event loop becomes one transaction, so that
 * a thousand records cost one wait for the disk.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { ReeveError } from "../../errors.js";
import { copyOpenDatabase } from "./backup.js";
import { reportRow } from "./damaged-database.js";
import { isCorruption, storeFailure } from "./failure.js";
import { decode } from "./json.js";
import { type OpenOptions, openDatabase, requestIntegrityCheck } from "./open.js";
import type { Checkpoints } from "./pages/checkpoints.js";
import { bringUpToDate } from "./schema.js";

export type DatabaseRow = Record<string, unknown>;

/**
 * What an acknowledged write survives. `power`: a power cut, for the price of waiting until the disk has it. `daemon`: the
 * daemon's death at any moment; a power cut may take what was written in the last seconds.
 */
export type Durability = "power" | "daemon";

/** Milliseconds after a commit in which what need not wait for the disk is gathered. */
const GATHERING = 3;

interface Write {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

type DatabaseOptions = Omit<OpenOptions, "exclusive" | "frames" | "afterSalvage">;

/** Pages of the write-ahead log. */
const FRAMES = 4000;

export class Database {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #checkpoints: Checkpoints;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  #pending: Write[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the last commit was over. */
  #committed = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** Whether something pending has to survive a power cut. */
  #precious = false;
  /** Whether commits wait for the disk at present. */
  #waits: boolean | undefined;
  /** Commits so far that waited for the disk. */
  #commits: number;
  /** Called with that number once such a commit is on the disk. */
  onDisk: (commits: number) => void = () => undefined;

  /** @throws ReeveError when the file cannot be used. */
  constructor(options: DatabaseOptions) {
    this.path = options.path;
    this.#options = options;
    // Below zero: all that the journal has is applied again.
    const afterSalvage = "UPDATE journal SET sequence = -abs(sequence)";
    const opened = openDatabase({ ...options, exclusive: true, frames: FRAMES, afterSalvage });
    this.#database = opened.database;
    this.#checkpoints = opened.checkpoints;
    try {
      bringUpToDate(this.#database);
      this.#commits = Number(this.row("SELECT commits FROM journal")?.commits ?? 0);
    } catch (thrown) {
      this.#checkpoints.close();
      throw storeFailure(thrown, this.path);
    }
  }

  /**
   * Runs `work` inside the next transaction; resolves with its result once that is committed. Work that throws is
   * undone without harm to its neighbours.
   * @throws ReeveError when the disk refuses, and after `close`.
   */
  write<Result>(work: () => Result, survives: Durability = "power"): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    this.#precious ||= survives === "power";
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ work, resolve: resolve as Write["resolve"], reject });
      this.#schedule(survives);
    });
  }

  /**
   * Runs `work` in a transaction of its own, behind what waits to be written; committed when it returns, so that it survives the daemon.
   * @throws what `work` throws, and ReeveError when the disk refuses: then nothing is written.
   */
  now<Result>(work: () => Result): Result {
    return this.#now(work, false);
  }

  #now<Result>(work: () => Result, waits: boolean): Result {
    if (this.#closed) throw closed();
    this.#commit();
    try {
      this.#waitForDisk(waits);
      this.statement("BEGIN IMMEDIATE").run();
      const result = work();
      if (waits) this.#count();
      this.statement("COMMIT").run();
      this.#committed = performance.now();
      this.#checkpoints.committed(waits);
      if (waits) this.#counted();
      return result;
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw this.#failure(thrown);
    }
  }

  get commits(): number {
    return this.#commits;
  }

  /** As `now`, and survives a power cut when it returns. */
  nowOnDisk<Result>(work: () => Result): Result {
    return this.#now(work, true);
  }

  /** Rows as they are now; what waits to be written is written first. */
  rows(sql: string, ...parameters: SQLInputValue[]): DatabaseRow[] {
    if (this.#closed) throw closed();
    this.#commit();
    return this.#guarded(() => this.statement(sql).all(...parameters) as DatabaseRow[]);
  }

  row(sql: string, ...parameters: SQLInputValue[]): DatabaseRow | undefined {
    return this.rows(sql, ...parameters)[0];
  }

  /** What the JSON in a row means; `undefined` where it is damaged, which is reported: it must not keep the other rows from their use. */
  decoded(text: unknown, table: string, ...key: readonly unknown[]): unknown {
    try {
      return decode(text);
    } catch {
      reportRow(this.#options, table, key);
      return undefined;
    }
  }

  /** For use inside `write`: the statement, prepared once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** A consistent copy of the file at a path, on the disk when this resolves; writes go on meanwhile. @throws an error of SQLite or of the operating system */
  async copyTo(path: string): Promise<void> {
    if (this.#closed) throw closed();
    this.#commit();
    await copyOpenDatabase(this.#database, path);
  }

  /** Writes what waits and lets go of the file. */
  close(): void {
    if (this.#closed) return;
    this.#commit();
    this.#closed = true;
    this.#statements.clear();
    this.#checkpoints.close();
  }

  #commit(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    const writes = this.#pending;
    if (writes.length === 0) return;
    this.#pending = [];
    const outcomes: Array<() => void> = [];
    try {
      const waits = this.#precious;
      this.#waitForDisk(waits);
      this.#precious = false;
      this.statement("BEGIN IMMEDIATE").run();
      for (const write of writes) outcomes.push(this.#perform(write));
      if (waits) this.#count();
      this.statement("COMMIT").run();
      this.#checkpoints.committed(waits);
      if (waits) this.#counted();
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      const failure = this.#failure(thrown);
      for (const { reject } of writes) reject(failure);
      return;
    }
    this.#committed = performance.now();
    for (const report of outcomes) report();
  }

  /** Within a transaction. */
  #count(): void {
    this.statement("UPDATE journal SET commits = commits + 1").run();
  }

  #counted(): void {
    this.#commits += 1;
    this.onDisk(this.#commits);
  }

  /** At the end of this turn; in a crowd a little later, so that more of it shares a commit. */
  #schedule(survives: Durability): void {
    if (this.#immediate) return;
    const rest = survives === "power" ? 0 : this.#committed + GATHERING - performance.now();
    if (rest <= 0) this.#immediate = setImmediate(() => this.#commit());
    else this.#timer ??= setTimeout(() => this.#commit(), Math.ceil(rest));
  }

  /** The log is written in order: a commit that waits takes everything before it to the disk as well. */
  #waitForDisk(waits: boolean): void {
    if (this.#waits === waits) return;
    this.#database.exec(`PRAGMA synchronous = ${waits ? "FULL" : "NORMAL"}`);
    this.#waits = waits;
  }

  /** @throws when the whole transaction is gone; otherwise returns what to tell once it is committed. */
  #perform({ work, resolve, reject }: Write): () => void {
    this.statement("SAVEPOINT one").run();
    try {
      const result = work();
      this.statement("RELEASE one").run();
      return () => resolve(result as never);
    } catch (thrown) {
      if (!this.#database.isTransaction) throw thrown;
      this.statement("ROLLBACK TO one").run();
      this.statement("RELEASE one").run();
      const failure = this.#failure(thrown);
      return () => reject(failure);
    }
  }

  #guarded<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  #failure(thrown: unknown): unknown {
    if (isCorruption(thrown)) requestIntegrityCheck(this.path);
    return storeFailure(thrown, this.path);
  }
}

const closed = (): ReeveError =>
  new ReeveError("store_closed", "The daemon is stopping: nothing can be stored any more.");
