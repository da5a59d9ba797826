/** Jobs as they lie in the database. Everything but the readers is called inside `database.write`. */
import type { SQLInputValue } from "node:sqlite";
import type { Database } from "../store/database.js";
import type { ClaimedJob, NewJob, QueueCounts } from "./queue-store.js";

type Row = Omit<ClaimedJob, "token">;

/** Daemons and plugins that may die over a job before the job is blamed. */
const mostInterruptions = 5;
/** Failed jobs that are kept, a queue. */
const keptFailures = 1000;

/** A claim as it lies in the table. */
export interface LeaseRow {
  readonly token: string;
  readonly leasedUntil: number;
}

const interrupted = `UPDATE jobs SET
    state = CASE WHEN interruptions + 1 >= ${mostInterruptions} THEN 'failed' ELSE 'waiting' END,
    reason = CASE WHEN interruptions + 1 >= ${mostInterruptions}
      THEN 'It was interrupted ${mostInterruptions} times: whoever works on it dies.' ELSE reason END,
    failed_at = CASE WHEN interruptions + 1 >= ${mostInterruptions} THEN ? END,
    attempt = attempt - 1, interruptions = interruptions + 1, claim = NULL, leased_until = NULL
  WHERE state = 'running'`;

export class JobTable {
  readonly #database: Database;
  readonly #of: readonly [plugin: string, queue: string];

  constructor(database: Database, plugin: string, queue: string) {
    this.#database = database;
    this.#of = [plugin, queue];
  }

  /** What a dead daemon was working on waits again. Returns how many. */
  static takeOver(database: Database, now: number): number {
    const run = (sql: string, ...values: SQLInputValue[]): number =>
      Number(database.statement(sql).run(...values).changes);
    run("DELETE FROM jobs WHERE cancelled = 1");
    return run(interrupted, now);
  }

  /** The id of the job that waits: this one, or the one it would repeat. */
  add({ id, payload, key, dedupe, priority, runAt }: NewJob): string {
    if (dedupe !== undefined) {
      const waiting = this.#one(
        "SELECT id FROM jobs WHERE plugin = ? AND queue = ? AND dedupe = ? AND state = 'waiting'",
        dedupe,
      );
      if (waiting) return waiting.id as string;
    }
    this.#run(
      `INSERT INTO jobs (plugin, queue, state, id, payload, key, dedupe, priority, run_at)
       VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?, ?)`,
      ...[id, payload, key ?? null, dedupe ?? null, priority, runAt],
    );
    return id;
  }

  /** The next job that may run now, if there is one. */
  claim(now: number, { token, leasedUntil }: LeaseRow): Row | undefined {
    const next = this.#one(
      `SELECT id FROM jobs AS job
       WHERE plugin = ? AND queue = ? AND state = 'waiting' AND run_at <= ?
         AND (key IS NULL OR NOT EXISTS (
           SELECT 1 FROM jobs AS other WHERE other.plugin = job.plugin AND other.queue = job.queue
             AND other.key = job.key AND other.state = 'running'))
       ORDER BY priority DESC, id LIMIT 1`,
      now,
    );
    if (!next) return undefined;
    return this.#database
      .statement(
        `UPDATE jobs SET state = 'running', attempt = attempt + 1, claim = ?, leased_until = ?
         WHERE id = ? RETURNING id, payload, progress, attempt`,
      )
      .get(token, leasedUntil, next.id as string) as unknown as Row;
  }

  /** Whether the claim still holds. */
  renew(id: string, { token, leasedUntil }: LeaseRow): boolean {
    return this.#claimed("leased_until = ?", [leasedUntil], id, token);
  }

  progress(id: string, { token, leasedUntil }: LeaseRow, progress: string): boolean {
    return this.#claimed("progress = ?, leased_until = ?", [progress, leasedUntil], id, token);
  }

  done(id: string, token: string): void {
    this.#database.statement("DELETE FROM jobs WHERE id = ? AND claim = ?").run(id, token);
  }

  retry(id: string, token: string, runAt: number, reason: string): void {
    this.#discardCancelled(id);
    this.#claimed(
      "state = 'waiting', claim = NULL, leased_until = NULL, run_at = ?, reason = ?",
      [runAt, reason],
      id,
      token,
    );
  }

  fail(id: string, token: string, now: number, reason: string): void {
    this.#discardCancelled(id);
    this.#claimed(
      "state = 'failed', claim = NULL, leased_until = NULL, failed_at = ?, reason = ?",
      [now, reason],
      id,
      token,
    );
    this.#run(
      `DELETE FROM jobs WHERE plugin = ? AND queue = ? AND state = 'failed' AND id <= (
         SELECT id FROM jobs WHERE plugin = ? AND queue = ? AND state = 'failed'
         ORDER BY id DESC LIMIT 1 OFFSET ${keptFailures})`,
      ...this.#of,
    );
  }

  /** Requeues a job that no worker can finish; the attempt does not count. */
  release(id: string, token: string, now: number): void {
    this.#discardCancelled(id);
    this.#database.statement(`${interrupted} AND id = ? AND claim = ?`).run(now, id, token);
  }

  /** Removes a job, or marks it to be removed when its worker has heard of it. Whether there was one. */
  cancel(id: string): boolean {
    const marked = this.#run(
      "UPDATE jobs SET cancelled = 1 WHERE plugin = ? AND queue = ? AND id = ? AND state = 'running'",
      id,
    );
    const removed = this.#run(
      "DELETE FROM jobs WHERE plugin = ? AND queue = ? AND id = ? AND state <> 'running'",
      id,
    );
    return marked + removed > 0;
  }

  /** When the next job is due that is not due yet; `undefined` where there is none. */
  nextAfter(now: number): number | undefined {
    const found = this.#one(
      `SELECT min(run_at) AS at FROM jobs
       WHERE plugin = ? AND queue = ? AND state = 'waiting' AND run_at > ?`,
      now,
    );
    return (found?.at ?? undefined) as number | undefined;
  }

  sizes(): QueueCounts {
    const rows = this.#database.rows(
      "SELECT state, count(*) AS count FROM jobs WHERE plugin = ? AND queue = ? GROUP BY state",
      ...this.#of,
    );
    const count = (state: string): number =>
      (rows.find((row) => row.state === state)?.count as number | undefined) ?? 0;
    return { waiting: count("waiting"), running: count("running"), failed: count("failed") };
  }

  #discardCancelled(id: string): void {
    this.#database.statement("DELETE FROM jobs WHERE id = ? AND cancelled = 1").run(id);
  }

  #claimed(change: string, values: readonly SQLInputValue[], id: string, token: string): boolean {
    const sql = `UPDATE jobs SET ${change} WHERE id = ? AND claim = ?`;
    return this.#database.statement(sql).run(...values, id, token).changes > 0;
  }

  #one(sql: string, ...values: SQLInputValue[]): Record<string, unknown> | undefined {
    return this.#database.statement(sql).get(...this.#of, ...values);
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.statement(sql).run(...this.#of, ...values).changes);
  }
}
