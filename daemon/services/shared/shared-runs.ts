/** Records of runs in the database that daemons share: a copy, written after the fact. What counts is in the file of the host where it ran. */
import type { Pool } from "pg";
import type { RunFilter, RunRecord } from "../../plugin-api/state.js";
import type { HostedRun } from "../contract.js";
import { pageOf } from "../runs/run-table.js";
import { rowsFrom } from "./connection.js";

interface Row {
  readonly host: string;
  readonly record: string;
}

export class SharedRuns {
  /** What this daemon is called. */
  readonly host: string;
  readonly #pool: () => Pool;

  /** `pool` throws while the database is away. */
  constructor(pool: () => Pool, host: string) {
    this.#pool = pool;
    this.host = host;
  }

  /** In the place of what was written of them before. */
  async write(records: readonly RunRecord[]): Promise<void> {
    await rowsFrom(
      this.#pool(),
      `INSERT INTO runs (host, id, kind, subject, state, queued_at, record)
       SELECT $1, each.* FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[]) AS each
       ON CONFLICT (host, id) DO UPDATE SET state = excluded.state, record = excluded.record`,
      [
        this.host,
        records.map(({ id }) => id),
        records.map(({ kind }) => kind),
        records.map(({ subject }) => subject),
        records.map(({ state }) => state),
        records.map(({ queuedAt }) => queuedAt),
        records.map((record) => JSON.stringify(record)),
      ],
    );
  }

  /** Newest first: of one host, or of all others. */
  async list(filter: RunFilter, host: string | undefined): Promise<readonly HostedRun[]> {
    const { kind, subject, state, before } = filter;
    const { rows } = await rowsFrom<Row>(
      this.#pool(),
      `SELECT host, record FROM runs
       WHERE ($1::text IS NULL OR host = $1) AND ($2::text IS NULL OR host <> $2) AND ($3::text IS NULL OR kind = $3)
         AND ($4::text IS NULL OR subject = $4) AND ($5::text IS NULL OR state = $5) AND ($6::text IS NULL OR id < $6)
       ORDER BY id DESC LIMIT $7`,
      [
        ...[host ?? null, host === undefined ? this.host : null],
        ...[kind ?? null, subject ?? null, state ?? null, before ?? null, pageOf(filter)],
      ],
    );
    return rows.map(runOf);
  }

  async get(id: string): Promise<HostedRun | undefined> {
    const { rows } = await rowsFrom<Row>(
      this.#pool(),
      "SELECT host, record FROM runs WHERE id = $1 AND host <> $2",
      [id, this.host],
    );
    return rows[0] && runOf(rows[0]);
  }

  /** Those of this host that were last said to wait or to run. */
  async goingOn(): Promise<readonly string[]> {
    const { rows } = await rowsFrom<{ id: string }>(
      this.#pool(),
      "SELECT id FROM runs WHERE host = $1 AND state IN ('queued', 'running')",
      [this.host],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes this host's beyond the newest `keep`, and everybody's that were queued before `oldest`. */
  async prune(keep: number, oldest: number): Promise<void> {
    await rowsFrom(this.#pool(), "DELETE FROM runs WHERE queued_at < $1", [Math.floor(oldest)]);
    await rowsFrom(
      this.#pool(),
      `DELETE FROM runs WHERE host = $1
         AND id <= (SELECT id FROM runs WHERE host = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
      [this.host, keep],
    );
  }
}

function runOf({ host, record }: Row): HostedRun {
  const { startedAt, finishedAt, exitCode, signal, reason, trigger, ...rest } = JSON.parse(
    record,
  ) as RunRecord;
  return { ...rest, startedAt, finishedAt, exitCode, signal, reason, trigger, host };
}
