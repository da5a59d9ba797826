/** Kysely whose queries are built here and run by the host, a transaction on a connection of its own. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { postgresPlugins } from "../../../services/shared/kysely-plugins.js";
import type { DatabaseData } from "../methods.js";
import type { HostPeer } from "./host-peer.js";

export function kyselyOver<Tables>(
  host: HostPeer,
  { database, dialect }: DatabaseData,
): Kysely<Tables> {
  const createDriver = () => new RemoteDriver(host, database);
  const own: Dialect =
    dialect === "sqlite"
      ? {
          createDriver,
          createAdapter: () => new SqliteAdapter(),
          createQueryCompiler: () => new SqliteQueryCompiler(),
          createIntrospector: (db) => new SqliteIntrospector(db),
        }
      : {
          createDriver,
          createAdapter: () => new PostgresAdapter(),
          createQueryCompiler: () => new PostgresQueryCompiler(),
          createIntrospector: (db) => new PostgresIntrospector(db),
        };
  return new Kysely<Tables>({
    dialect: own,
    plugins: dialect === "sqlite" ? [] : postgresPlugins(),
  });
}

class RemoteDriver implements Driver {
  readonly #host: HostPeer;
  readonly #database: number;

  constructor(host: HostPeer, database: number) {
    this.#host = host;
    this.#database = database;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<RemoteConnection> {
    return new RemoteConnection(this.#host, this.#database);
  }

  async beginTransaction(connection: RemoteConnection): Promise<void> {
    await connection.take();
    await connection.executeQuery(CompiledQuery.raw("begin"));
  }

  async commitTransaction(connection: RemoteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: RemoteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(connection: RemoteConnection): Promise<void> {
    await connection.give();
  }
}

/** Only a transaction needs a connection of its own at the host; single queries take whichever is free. */
class RemoteConnection implements DatabaseConnection {
  readonly #host: HostPeer;
  readonly #database: number;
  #connection: number | undefined;

  constructor(host: HostPeer, database: number) {
    this.#host = host;
    this.#database = database;
  }

  async take(): Promise<void> {
    this.#connection = await this.#host.call("database.acquire", this.#database);
  }

  async give(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) await this.#host.call("database.release", connection);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, numAffectedRows, insertId } = await this.#host.call("database.query", {
      database: this.#database,
      connection: this.#connection,
      sql,
      parameters,
    });
    return {
      rows: rows as Row[],
      ...(numAffectedRows === undefined ? {} : { numAffectedRows }),
      ...(insertId === undefined ? {} : { insertId }),
    };
  }

  /** One chunk: all rows arrive together. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}
