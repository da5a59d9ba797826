/** A plugin's tables in the database that daemons share: the same queries as on SQLite, and the same answers. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import { sharedFailure } from "./failure.js";
import { postgresPlugins } from "./kysely-plugins.js";

/** Queries through `pool`, whose connections look into the plugin's schema; destroying it ends the pool. */
export const kyselyOnPool = (pool: Pool, plugin: string): Kysely<unknown> =>
  new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: guarded(pool, plugin) }),
    plugins: postgresPlugins(),
  });

/** As with one file a plugin, its transactions have the tables to themselves, whichever daemon they come from. */
const alone = "SELECT pg_advisory_xact_lock(hashtextextended($1, 3))";

function guarded(pool: Pool, plugin: string): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((thrown: unknown) => {
        throw sharedFailure(thrown);
      });
      return guardedClient(client, plugin);
    },
    end: () => pool.end(),
  } as PostgresPool;
}

function guardedClient(client: PoolClient, plugin: string): PostgresPoolClient {
  let broken: Error | undefined;
  const query = async (text: string, values: readonly unknown[] = []) => {
    try {
      const result = await client.query(text, values.map(inputValue));
      if (/^(begin|start transaction)/i.test(text)) await client.query(alone, [plugin]);
      return result;
    } catch (thrown) {
      const failure = sharedFailure(thrown);
      // In an unknown state: nobody gets it again.
      if ((failure as { code?: unknown }).code === "store_away") broken = failure as Error;
      throw failure;
    }
  };
  return { query, release: () => client.release(broken) } as unknown as PostgresPoolClient;
}

/** Truths are 0 and 1, times are texts, as they are in SQLite. */
function inputValue(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value;
}
