/** A queue in the database that daemons share. Leases use the database's clock, so no daemon's clock can shorten them. */
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { Clock } from "../../plugin-api/context.js";
import type {
  ClaimedJob,
  Claims,
  LeaseToken,
  NewJob,
  QueueCounts,
  QueueStore,
} from "../jobs/queue-store.js";
import { Batch } from "./batch.js";
import { ClaimBatcher, type ClaimRequest } from "./claim-batcher.js";
import { rowsFrom } from "./connection.js";

/** Failed jobs that are kept, a queue. */
const keptFailures = 1000;
/** Milliseconds between checks without a notification. */
const longestWait = 60_000;
/** Jobs that are claimed together at most: each key of theirs is locked for that moment. */
const mostClaimed = 200;

export interface SharedQueueOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** This daemon, as no other is called. */
  readonly daemon: string;
  readonly usualLease: number;
  readonly plugin: string;
  readonly queue: string;
}

interface ClaimRow {
  readonly id: string | null;
  readonly payload: string;
  readonly progress: string | null;
  readonly attempt: number;
  readonly wait: number | null;
}

const ours = "(id, claim) IN (SELECT * FROM unnest($1::text[], $2::text[]))";
/** Sorted by id: every daemon locks jobs in this order. */
const pairs = (held: readonly LeaseToken[]): readonly [ids: string[], tokens: string[]] => {
  const sorted = held.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return [sorted.map(({ id }) => id), sorted.map(({ token }) => token)];
};
const none: Claims = { jobs: [], nextAt: undefined };

export class SharedQueue implements QueueStore {
  readonly isShared = true;
  readonly usualLease: number;
  readonly #options: SharedQueueOptions;
  readonly #of: readonly [plugin: string, queue: string];
  readonly #added: Batch<NewJob, string>;
  readonly #batcher: ClaimBatcher;

  constructor(options: SharedQueueOptions) {
    this.#options = options;
    this.usualLease = options.usualLease;
    this.#of = [options.plugin, options.queue];
    this.#added = new Batch((jobs) => this.#add(jobs));
    this.#batcher = new ClaimBatcher((ended, claim) => this.#work(ended, claim));
  }

  add(job: NewJob): Promise<string> {
    return this.#added.add(job);
  }

  claim(room: () => number, lease: number, isOver: () => boolean): Promise<Claims> {
    return this.#batcher.claim({ room, lease, isOver });
  }

  async renew(held: readonly LeaseToken[], lease: number): Promise<readonly string[]> {
    const rows = await this.#rows<{ id: string }>(
      `WITH kept AS (SELECT id FROM jobs WHERE ${ours} AND NOT cancelled ORDER BY id FOR UPDATE)
       UPDATE jobs SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
       FROM kept WHERE jobs.id = kept.id RETURNING jobs.id`,
      ...[...pairs(held), lease],
    );
    const kept = new Set(rows.map(({ id }) => id));
    return held.map(({ id }) => id).filter((id) => !kept.has(id));
  }

  async progress(held: LeaseToken, lease: number, progress: string): Promise<void> {
    await this.#rows(
      `UPDATE jobs SET progress = $4, leased_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE ${ours}`,
      ...[...pairs([held]), lease, progress],
    );
  }

  done(held: LeaseToken): Promise<void> {
    return this.#batcher.end(held);
  }

  async retry(held: LeaseToken, runAt: number, reason: string): Promise<void> {
    await this.#discardCancelled(held);
    await this.#rows(
      `UPDATE jobs SET state = 'waiting', claim = NULL, daemon = NULL, leased_until = NULL, run_at = $3, reason = $4
       WHERE ${ours}`,
      ...[...pairs([held]), Math.ceil(runAt), reason],
    );
    await this.#notify();
  }

  async fail(held: LeaseToken, reason: string): Promise<void> {
    await this.#discardCancelled(held);
    await this.#rows(
      `UPDATE jobs SET state = 'failed', claim = NULL, daemon = NULL, leased_until = NULL, failed_at = now(), reason = $3
       WHERE ${ours}`,
      ...[...pairs([held]), reason],
    );
    await this.#rows(
      `DELETE FROM jobs WHERE plugin = $1 AND queue = $2 AND state = 'failed' AND id <= (
         SELECT id FROM jobs WHERE plugin = $1 AND queue = $2 AND state = 'failed'
         ORDER BY id DESC LIMIT 1 OFFSET ${keptFailures})`,
      ...this.#of,
    );
    await this.#notify();
  }

  async release(held: readonly LeaseToken[]): Promise<void> {
    await this.#rows("SELECT release_jobs($1, $2)", ...pairs(held));
    await this.#notify();
  }

  /** Notifies the worker, on whichever daemon it runs. */
  async cancel(id: string): Promise<boolean> {
    const rows = await this.#rows<{ notified: unknown }>(
      `WITH marked AS (
         UPDATE jobs SET cancelled = true
         WHERE plugin = $1 AND queue = $2 AND id = $3 AND state = 'running' RETURNING id),
       removed AS (
         DELETE FROM jobs WHERE plugin = $1 AND queue = $2 AND id = $3 AND state <> 'running' RETURNING id)
       SELECT pg_notify('reeve_cancelled', id) AS notified FROM (SELECT id FROM marked UNION SELECT id FROM removed) AS found`,
      ...[...this.#of, id],
    );
    return rows.length > 0;
  }

  async sizes(): Promise<QueueCounts> {
    const rows = await this.#rows<{ state: string; count: number }>(
      "SELECT state, count(*) AS count FROM jobs WHERE plugin = $1 AND queue = $2 GROUP BY state",
      ...this.#of,
    );
    const count = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0;
    return { waiting: count("waiting"), running: count("running"), failed: count("failed") };
  }

  async #add(jobs: readonly NewJob[]): Promise<readonly string[]> {
    const [row] = await this.#rows<{ ids: string[] }>(
      "SELECT add_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9) AS ids",
      ...[
        ...this.#of,
        jobs.map(({ id }) => id),
        jobs.map(({ payload }) => payload),
        jobs.map(({ key }) => key ?? null),
        jobs.map(({ dedupe }) => dedupe ?? null),
        jobs.map(({ priority }) => priority),
        jobs.map(({ runAt }) => runAt),
        this.#options.daemon,
      ],
    );
    return row?.ids ?? [];
  }

  /** In one transaction: what has ended is gone, and its keys are free, when others are claimed. */
  async #work(ended: readonly LeaseToken[], claim: ClaimRequest | undefined): Promise<Claims> {
    const { clock, daemon } = this.#options;
    const isOver = (): boolean => claim?.isOver() ?? true;
    const limit = isOver() ? 0 : Math.min(claim?.room() ?? 0, mostClaimed);
    if (ended.length === 0 && limit <= 0) return none;
    const now = clock.now();
    const token = randomUUID();
    const rows = await this.#rows<ClaimRow>(
      "SELECT * FROM work_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9)",
      ...[...this.#of, ...pairs(ended), now, limit, claim?.lease ?? 0, daemon, token],
    );
    const jobs = rows.flatMap(({ id, payload, progress, attempt }): ClaimedJob[] =>
      id === null ? [] : [{ id, payload, progress, attempt, token }],
    );
    if (isOver()) {
      // No worker has started them: as if they had never been claimed.
      if (jobs.length > 0) await this.#unclaim(jobs);
      return none;
    }
    const last = rows.at(-1);
    // There was no end to what could be claimed.
    if (last?.id !== null)
      return { jobs, nextAt: (claim?.room() ?? 0) > jobs.length ? now : undefined };
    return { jobs, nextAt: now + Math.min(last.wait ?? longestWait, longestWait) };
  }

  async #unclaim(held: readonly LeaseToken[]): Promise<void> {
    await this.#rows(
      `UPDATE jobs SET state = 'waiting', attempt = attempt - 1, claim = NULL, daemon = NULL, leased_until = NULL
       WHERE ${ours}`,
      ...pairs(held),
    );
    await this.#notify();
  }

  async #discardCancelled(held: LeaseToken): Promise<void> {
    await this.#rows(`DELETE FROM jobs WHERE ${ours} AND cancelled`, ...pairs([held]));
  }

  /** Notifies all daemons, this one as well: another of its workers may wait. */
  async #notify(): Promise<void> {
    await this.#rows("SELECT pg_notify('reeve_jobs', $1)", JSON.stringify(this.#of));
  }

  async #rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return (await rowsFrom<Row>(this.#options.pool, text, values)).rows;
  }
}
