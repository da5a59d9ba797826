/** Connections to the database that daemons share. The driver is loaded with the first of them. */
import type { CustomTypesConfig, Pool, PoolClient, PoolConfig, QueryResultRow } from "pg";
import { ReeveError } from "../../errors.js";
import { sharedFailure } from "./failure.js";

/** Milliseconds to wait for an answer, so that a disconnected daemon notices. */
const longestQuery = 20_000;
const longestConnect = 5000;

/** PostgreSQL aborts a disconnected daemon's transaction before other daemons stop waiting for it. */
const whoIsGone =
  "-c idle_in_transaction_session_timeout=3s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3";

/** Whole numbers and sums are numbers, as they are in SQLite. */
const types: Pick<CustomTypesConfig, "getTypeParser"> = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === 20 || oid === 1700
      ? Number
      : (parsers?.getTypeParser(oid, format as "text") ??
        String)) as CustomTypesConfig["getTypeParser"],
};
let parsers: CustomTypesConfig | undefined;

/** @throws ReeveError when it is no address of a database. */
export function checkAddress(address: string): void {
  const scheme = /^postgres(ql)?:\/\//.exec(address);
  const name = scheme && /^[^/?#]*\/[^/?#]+/.exec(address.slice(scheme[0].length));
  if (name) return;
  throw new ReeveError("store_refused", "The address is not one of a PostgreSQL database.", {
    help: "Write it as `postgres://USER:PASSWORD@HOST/DATABASE`, with `%40` for an `@` within.",
  });
}

export interface ConnectionOptions {
  readonly address: string;
  /** Connections at the same time. */
  readonly most: number;
  /** The schema that names without one belong to. */
  readonly schema: string;
}

export async function poolFor({ address, most, schema }: ConnectionOptions): Promise<Pool> {
  const { default: pg } = await import("pg");
  parsers = pg.types as unknown as CustomTypesConfig;
  const config: PoolConfig = {
    connectionString: address,
    max: most,
    connectionTimeoutMillis: longestConnect,
    query_timeout: longestQuery,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "reeve",
    options: `-c search_path=${schema} ${whoIsGone}`,
    types: types as CustomTypesConfig,
  };
  const pool = new pg.Pool(config);
  // The holder of a broken connection learns of it from its failing query.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // An idle connection that breaks is replaced by the next one that is needed.
  pool.on("error", () => undefined);
  return pool;
}

/** Rows of one statement. @throws ReeveError `store_away` where the database cannot be reached */
export async function rowsFrom<Row extends QueryResultRow>(
  pool: Pool | PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ readonly rows: Row[]; readonly count: number }> {
  try {
    const statement = { name: nameOf(text), text, values: [...values] };
    const { rows, rowCount } = await pool.query<Row>(statement);
    return { rows, count: rowCount ?? 0 };
  } catch (thrown) {
    throw sharedFailure(thrown);
  }
}

/** The database reads and plans a statement once a connection. There are few of them, all written in this room. */
const names = new Map<string, string>();
function nameOf(text: string): string {
  const name = names.get(text) ?? `reeve_${names.size}`;
  names.set(text, name);
  return name;
}

/** Runs `work` in a transaction. */
export async function within<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((thrown: unknown) => {
    throw sharedFailure(thrown);
  });
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    client.release();
    return result;
  } catch (thrown) {
    const undone = await client.query("ROLLBACK").catch((failure: Error) => failure);
    client.release(undone instanceof Error ? undone : false);
    throw sharedFailure(thrown);
  }
}
