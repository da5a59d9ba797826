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

/**
 * As with one file a plugin, its transactions have the tables to themselves, whichever daemon they come from. One message with
 * what begins them: there is no moment in between to be cut off in.
 */
const beginAlone = (begin: string, plugin: string): string =>
  `${begin}; SELECT pg_advisory_xact_lock(hashtextextended(${escapeLiteral(plugin)}, 3))`;

const escapeLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Transactions of one daemon wait for each other here, not in the database: of a daemon that is cut off, one session has the turn
 * until the server ends it, and none of its others wait to have it after that one.
 */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves, when it is one's turn, to what ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}

function guarded(pool: Pool, plugin: string): PostgresPool {
  const turns = new Turns();
  return {
    async connect() {
      const client = await pool.connect().catch((thrown: unknown) => {
        throw sharedFailure(thrown);
      });
      return guardedClient(client, plugin, turns);
    },
    end: () => pool.end(),
  } as PostgresPool;
}

function guardedClient(client: PoolClient, plugin: string, turns: Turns): PostgresPoolClient {
  let broken: Error | undefined;
  let endTurn: (() => void) | undefined;
  const query = async (text: string, values: readonly unknown[] = []) => {
    try {
      if (/^(begin|start transaction)/i.test(text)) {
        endTurn = await turns.take();
        return await client.query(beginAlone(text, plugin));
      }
      const result = await client.query(text, values.map(inputValue));
      if (/^(commit|rollback)\b(?! to)/i.test(text)) endTurn?.();
      return result;
    } catch (thrown) {
      const failure = sharedFailure(thrown);
      // Its state is unknown, so the connection is discarded.
      if ((failure as { code?: unknown }).code === "store_away") broken = failure as Error;
      throw failure;
    }
  };
  const release = (): void => {
    endTurn?.();
    client.release(broken);
  };
  return { query, release } as unknown as PostgresPoolClient;
}

/** Truths are 0 and 1, times are texts, as they are in SQLite. */
function inputValue(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value;
}
