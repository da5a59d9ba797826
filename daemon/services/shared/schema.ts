/** The tables that daemons share, one step after the other; a step that has been published is never edited. */
import type { Pool } from "pg";
import { ReeveError } from "../../errors.js";
import { within } from "./connection.js";
import { claimSql, enqueueSql } from "./schema-jobs.js";
import { runsOfAll } from "./schema-runs.js";
import { finishAndClaimSql, notifySql, workColumns } from "./schema-work.js";

export const SCHEMA = "reeve";

const steps: readonly string[] = [
  `CREATE TABLE maps (
     plugin text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL,
     PRIMARY KEY (plugin, name, key));

   CREATE TABLE jobs (
     id text COLLATE "C" PRIMARY KEY, plugin text COLLATE "C" NOT NULL, queue text COLLATE "C" NOT NULL,
     state text COLLATE "C" NOT NULL, payload text NOT NULL, progress text, key text COLLATE "C", dedupe text COLLATE "C",
     priority double precision NOT NULL, run_at bigint NOT NULL,
     attempt integer NOT NULL DEFAULT 0, interruptions integer NOT NULL DEFAULT 0,
     claim text, daemon text, leased_until timestamptz, cancelled boolean NOT NULL DEFAULT false,
     failed_at timestamptz, reason text
   ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
   CREATE INDEX jobs_next ON jobs (plugin, queue, priority DESC, id) WHERE state = 'waiting';
   CREATE INDEX jobs_due ON jobs (plugin, queue, run_at) WHERE state = 'waiting';
   CREATE INDEX jobs_running ON jobs (plugin, queue) WHERE state = 'running';
   CREATE INDEX jobs_failed ON jobs (plugin, queue, id) WHERE state = 'failed';
   CREATE INDEX jobs_by_dedupe ON jobs (plugin, queue, dedupe) WHERE state = 'waiting' AND dedupe IS NOT NULL;
   ${enqueueSql}
   ${claimSql}`,

  `${workColumns}
   ${notifySql}
   ${finishAndClaimSql}`,

  runsOfAll,
];

/** An arbitrary lock number: daemons that start at the same time take turns. */
const TURN = 7_205_759;

/**
 * Makes what is missing, up to the step of that number.
 * @throws ReeveError when a newer reeve made the tables, or the user may not make any.
 */
export async function bringUpToDate(pool: Pool, upTo = steps.length): Promise<void> {
  await within(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [TURN]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await client.query("CREATE TABLE IF NOT EXISTS steps (number integer PRIMARY KEY)");
    const { rows } = await client.query<{ last: number | null }>(
      "SELECT max(number) AS last FROM steps",
    );
    const version = rows[0]?.last ?? 0;
    if (version > steps.length) {
      throw new ReeveError(
        "store_too_new",
        "The database was written by a newer version of reeve.",
        { help: "Install that version on this host, too, or choose another database." },
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < version || index >= upTo) continue;
      await client.query(step);
      await client.query("INSERT INTO steps VALUES ($1)", [index + 1]);
    }
  });
}
