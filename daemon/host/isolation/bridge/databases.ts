/** The host's end of a plugin's tables: queries come as text and parameters, transactions on a connection they own. */
import { CompiledQuery, type Kysely, PostgresAdapter } from "kysely";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Migration } from "../../../plugin-api/state.js";
import type { DatabaseData } from "../methods.js";
import { type BridgePart, Handles, type PluginPeer } from "./plugin-peer.js";

type Database = Kysely<unknown>;

interface Taken {
  readonly connection: Database;
  give(): void;
}

type DatabaseMethods = "database.open" | "database.query" | "database.acquire" | "database.release";

export function databases(
  { store }: PluginContext,
  peer: () => PluginPeer,
): BridgePart<DatabaseMethods> & { close(): void } {
  const open = new Handles<number, Database>("database");
  const taken = new Map<number, Taken>();
  let count = 0;

  function add(database: Database): DatabaseData {
    count += 1;
    open.set(count, database);
    const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter;
    return { database: count, dialect: isPostgres ? "postgres" : "sqlite" };
  }

  /** Runs where the migration is written, on the connection that the store gives it here. */
  const migration =
    (name: string): Migration =>
    async (database) => {
      const data = add(database as Database);
      try {
        await peer().call("migrate", { name, ...data });
      } finally {
        open.delete(data.database);
      }
    };

  function acquire(database: Database): Promise<number> {
    const { promise: given, resolve: give } = Promise.withResolvers<void>();
    return new Promise((resolve, reject) => {
      database
        .connection()
        .execute(async (connection) => {
          count += 1;
          taken.set(count, { connection: connection as Database, give });
          resolve(count);
          await given;
        })
        .catch(reject);
    });
  }

  return {
    async "database.open"(names) {
      const migrations = Object.fromEntries(names.map((name) => [name, migration(name)]));
      return add((await store.database<unknown>(migrations)) as Database);
    },
    async "database.query"({ database, connection, sql, parameters }) {
      const target =
        connection === undefined ? open.get(database) : taken.get(connection)?.connection;
      const query = CompiledQuery.raw(sql, [...parameters]);
      const result = await (target ?? open.get(database)).executeQuery(query);
      const { rows, numAffectedRows, insertId } = result;
      return { rows, numAffectedRows, insertId };
    },
    "database.acquire": (database) => acquire(open.get(database)),
    "database.release": (connection) => {
      taken.get(connection)?.give();
      taken.delete(connection);
    },
    /** Releases connections of transactions that died with the plugin. */
    close() {
      for (const { connection, give } of taken.values()) {
        void connection
          .executeQuery(CompiledQuery.raw("rollback"))
          .catch(() => undefined)
          .finally(give);
      }
      taken.clear();
    },
  };
}
