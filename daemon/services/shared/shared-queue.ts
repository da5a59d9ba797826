/** A queue in the database that daemons share. Leases go by the clock of the database, so nobody's clock can cut them short. */
import type { Pool } from "pg";
import type { Clock } from "../../plugin-api/context.js";
import type { ClaimedJob, Claims, Held, NewJob, QueueStore, Sizes } from "../jobs/queue-store.js";
import { Batch } from "./batch.js";
import { rowsFrom } from "./connection.js";

/** Failed jobs that are kept, a queue. */
const keptFailures = 1000;
/** Milliseconds after which somebody looks again, whatever was heard. */
const longestWait = 60_000;

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
  readonly claim: string;
  readonly wait: number | null;
}

const ours = "(id, claim) IN (SELECT * FROM unnest($1::text[], $2::text[]))";
const pairs = (held: readonly Held[]): readonly [ids: string[], tokens: string[]] => [
  held.map(({ id }) => id),
  held.map(({ token }) => token),
];

export class SharedQueue implements QueueStore {
  readonly isShared = true;
  readonly usualLease: number;
  readonly #options: SharedQueueOptions;
  readonly #of: readonly [plugin: string, queue: string];
  readonly #added: Batch<NewJob, string>;
  readonly #done: Batch<Held, undefined>;

  constructor(options: SharedQueueOptions) {
    this.#options = options;
    this.usualLease = options.usualLease;
    this.#of = [options.plugin, options.queue];
    this.#added = new Batch((jobs) => this.#add(jobs));
    this.#done = new Batch((held) => this.#finish(held));
  }

  add(job: NewJob): Promise<string> {
    return this.#added.add(job);
  }

  async claim(room: number, lease: number, isOver: () => boolean): Promise<Claims> {
    if (isOver()) return { jobs: [], nextAt: undefined };
    const { clock, daemon } = this.#options;
    const now = clock.now();
    const rows = await this.#rows<ClaimRow>(
      "SELECT * FROM claim_jobs($1, $2, $3, $4, $5, $6)",
      ...[...this.#of, now, room, lease, daemon],
    );
    const jobs = rows.flatMap(({ id, payload, progress, attempt, claim }): ClaimedJob[] =>
      id === null ? [] : [{ id, payload, progress, attempt, token: claim }],
    );
    if (isOver()) {
      // Nobody has begun: it is as if they had never been claimed.
      if (jobs.length > 0) await this.#unclaim(jobs);
      return { jobs: [], nextAt: undefined };
    }
    const last = rows.at(-1);
    if (last?.id !== null) return { jobs, nextAt: undefined };
    return { jobs, nextAt: now + Math.min(last.wait ?? longestWait, longestWait) };
  }

  async renew(held: readonly Held[], lease: number): Promise<readonly string[]> {
    const rows = await this.#rows<{ id: string }>(
      `UPDATE jobs SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE ${ours} AND NOT cancelled RETURNING id`,
      ...[...pairs(held), lease],
    );
    const kept = new Set(rows.map(({ id }) => id));
    return held.map(({ id }) => id).filter((id) => !kept.has(id));
  }

  async progress(held: Held, lease: number, progress: string): Promise<void> {
    await this.#rows(
      `UPDATE jobs SET progress = $4, leased_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE ${ours}`,
      ...[...pairs([held]), lease, progress],
    );
  }

  done(held: Held): Promise<void> {
    return this.#done.add(held);
  }

  async retry(held: Held, runAt: number, reason: string): Promise<void> {
    await this.#discardCancelled(held);
    await this.#rows(
      `UPDATE jobs SET state = 'waiting', claim = NULL, daemon = NULL, leased_until = NULL, run_at = $3, reason = $4
       WHERE ${ours}`,
      ...[...pairs([held]), Math.ceil(runAt), reason],
    );
    await this.#tell();
  }

  async fail(held: Held, reason: string): Promise<void> {
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
    await this.#tell();
  }

  async release(held: readonly Held[]): Promise<void> {
    await this.#rows("SELECT release_jobs($1, $2)", ...pairs(held));
    await this.#tell();
  }

  /** Whoever works on it, wherever that is, is told. */
  async cancel(id: string): Promise<boolean> {
    const rows = await this.#rows<{ told: unknown }>(
      `WITH marked AS (
         UPDATE jobs SET cancelled = true
         WHERE plugin = $1 AND queue = $2 AND id = $3 AND state = 'running' RETURNING id),
       removed AS (
         DELETE FROM jobs WHERE plugin = $1 AND queue = $2 AND id = $3 AND state <> 'running' RETURNING id)
       SELECT pg_notify('reeve_cancelled', id) AS told FROM (SELECT id FROM marked UNION SELECT id FROM removed) AS found`,
      ...[...this.#of, id],
    );
    return rows.length > 0;
  }

  async sizes(): Promise<Sizes> {
    const rows = await this.#rows<{ state: string; count: number }>(
      "SELECT state, count(*) AS count FROM jobs WHERE plugin = $1 AND queue = $2 GROUP BY state",
      ...this.#of,
    );
    const count = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0;
    return { waiting: count("waiting"), running: count("running"), failed: count("failed") };
  }

  async #add(jobs: readonly NewJob[]): Promise<readonly string[]> {
    const [row] = await this.#rows<{ ids: string[] }>(
      "SELECT add_jobs($1, $2, $3, $4, $5, $6, $7, $8) AS ids",
      ...[
        ...this.#of,
        jobs.map(({ id }) => id),
        jobs.map(({ payload }) => payload),
        jobs.map(({ key }) => key ?? null),
        jobs.map(({ dedupe }) => dedupe ?? null),
        jobs.map(({ priority }) => priority),
        jobs.map(({ runAt }) => runAt),
      ],
    );
    return row?.ids ?? [];
  }

  /** Others may wait for their keys. */
  async #finish(held: readonly Held[]): Promise<readonly undefined[]> {
    await this.#rows(
      `WITH gone AS (DELETE FROM jobs WHERE ${ours} RETURNING key)
       SELECT pg_notify('reeve_jobs', $3) FROM (SELECT FROM gone WHERE key IS NOT NULL LIMIT 1) AS freed`,
      ...[...pairs(held), JSON.stringify(this.#of)],
    );
    return held.map(() => undefined);
  }

  async #unclaim(held: readonly Held[]): Promise<void> {
    await this.#rows(
      `UPDATE jobs SET state = 'waiting', attempt = attempt - 1, claim = NULL, daemon = NULL, leased_until = NULL
       WHERE ${ours}`,
      ...pairs(held),
    );
    await this.#tell();
  }

  async #discardCancelled(held: Held): Promise<void> {
    await this.#rows(`DELETE FROM jobs WHERE ${ours} AND cancelled`, ...pairs([held]));
  }

  async #tell(): Promise<void> {
    await this.#rows("SELECT pg_notify('reeve_jobs', $1)", JSON.stringify(this.#of));
  }

  async #rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return (await rowsFrom<Row>(this.#options.pool, text, values)).rows;
  }
}
