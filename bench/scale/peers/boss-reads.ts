/** Two questions that pg-boss has no call for, asked of its table. */
import type { Pool } from "pg";
import type { QueueCounts } from "../../../daemon/services/jobs/queue-store.js";

/** Milliseconds until the next poll, with or without notifications. */
const longestWait = 60_000;

/** Its own counts are as old as a minute. */
export async function sizesIn(pool: Pool, name: string): Promise<QueueCounts> {
  const { rows } = await pool.query<{ state: string; count: number }>(
    "SELECT state, count(*) AS count FROM pgboss.job WHERE name = $1 GROUP BY state",
    [name],
  );
  const sum = (...states: readonly string[]): number =>
    rows.filter(({ state }) => states.includes(state)).reduce((all, { count }) => all + count, 0);
  return {
    waiting: sum("created", "retry"),
    running: sum("active"),
    failed: sum("completed", "failed"),
  };
}

/** Milliseconds until a job is due, or until the library has released another worker's expired lease. */
export async function waitIn(pool: Pool, name: string, held: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ wait: number | null }>(
    `SELECT extract(epoch FROM least(
       (SELECT min(start_after) FROM pgboss.job
        WHERE name = $1 AND state < 'active' AND start_after > pgboss.job_now()),
       (SELECT min(heartbeat_on + (heartbeat_seconds + 1) * interval '1 second') FROM pgboss.job
        WHERE name = $1 AND state = 'active' AND id <> ALL ($2)))
       - pgboss.job_now()) * 1000 AS wait`,
    [name, held],
  );
  return Math.round(Math.min(rows[0]?.wait ?? longestWait, longestWait));
}
