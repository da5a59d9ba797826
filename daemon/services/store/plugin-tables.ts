/** A plugin's tables through kysely: its dialect on Node's SQLite, and migrations. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { Kysely, SqliteDialect } from "kysely";
import { ReeveError } from "../../errors.js";
import type { Clock } from "../../plugin-api/context.js";
import type { Migration } from "../../plugin-api/state.js";
import { storeFailure } from "./failure.js";
import type { OpenedDatabase } from "./open.js";

/** Queries on an open database; destroying it closes the database. */
export const kyselyOn = (opened: OpenedDatabase, path: string): Kysely<unknown> =>
  new Kysely<unknown>({ dialect: dialectOf(opened, path) });

/** Statements that are kept, a database: preparing one costs more than running it. */
const MOST_PREPARED = 200;

/** Statements that would move the write-ahead log without sums of its pages. */
const ofDaemon = /\bpragma\b[^;]*\b(wal_\w+|journal_mode|locking_mode)\b/i;

interface Prepared {
  readonly statement: StatementSync;
  /** Whether it gives rows. */
  readonly reader: boolean;
  /** Whether it may be a commit. */
  readonly writes: boolean;
}

/** kysely's own dialect, with Node's SQLite in the place of the package it was written for. */
function dialectOf({ database, checkpoints }: OpenedDatabase, path: string): SqliteDialect {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (thrown) {
      throw storeFailure(thrown, path);
    }
  };
  const prepared = new Map<string, Prepared>();
  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known) return known;
    if (ofDaemon.test(text))
      throw new Error("How its log is kept is up to the daemon, not to a plugin.");
    const statement = guarded(() => database.prepare(text));
    const reader = statement.columns().length > 0;
    const fresh = { statement, reader, writes: !/^\s*select\b/i.test(text) };
    const [oldest] = prepared.keys();
    if (oldest !== undefined && prepared.size >= MOST_PREPARED) prepared.delete(oldest);
    prepared.set(text, fresh);
    return fresh;
  };
  const connection = {
    close: () => {
      prepared.clear();
      checkpoints.close();
    },
    prepare: (text: string) => {
      const { statement, reader, writes } = prepare(text);
      const performed = <Result>(work: () => Result): Result => {
        const result = guarded(work);
        if (writes && !database.isTransaction) checkpoints.committed(true);
        return result;
      };
      const values = (parameters: readonly unknown[]): SQLInputValue[] =>
        parameters.map(inputValue);
      return {
        reader,
        all: (parameters: readonly unknown[]) =>
          performed(() => statement.all(...values(parameters))),
        run: (parameters: readonly unknown[]) =>
          performed(() => statement.run(...values(parameters))),
        iterate: (parameters: readonly unknown[]) =>
          // Read row by row, while another caller may run the same query.
          guarded(() => database.prepare(text).iterate(...values(parameters))),
      };
    },
  };
  return new SqliteDialect({
    database: async () => connection,
  });
}

/** What other drivers take as well, SQLite has no type for. */
function inputValue(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return (value ?? null) as SQLInputValue;
}

/** Milliseconds for which it is known that a job has had its effect: by then its end could be told. */
const remembered = 30 * 86_400_000;

interface MigrationTable {
  reeve_migrations: { name: string; applied_at: number };
  /** Of jobs: what `once` has let through. */
  reeve_effects: { job: string; at: number };
}

/** Runs what has not run yet, in the order of the names, each in a transaction of its own. */
export async function migrate(
  kysely: Kysely<unknown>,
  migrations: Readonly<Record<string, Migration>>,
  { plugin, clock }: { readonly plugin: string; readonly clock: Clock },
): Promise<void> {
  const database = kysely as Kysely<MigrationTable>;
  await database.transaction().execute(async (transaction) => {
    await transaction.schema
      .createTable("reeve_migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at", "integer", (column) => column.notNull())
      .execute();
    await transaction.schema
      .createTable("reeve_effects")
      .ifNotExists()
      .addColumn("job", "text", (column) => column.primaryKey())
      .addColumn("at", "integer", (column) => column.notNull())
      .execute();
    const forgotten = clock.now() - remembered;
    await transaction.deleteFrom("reeve_effects").where("at", "<", forgotten).execute();
  });
  const done = await namesIn(database);
  const names = Object.keys(migrations).sort();
  const newer = [...done].filter((name) => name > (names.at(-1) ?? name)).sort();
  if (newer.length > 0) {
    throw new ReeveError(
      "tables_too_new",
      `The tables of the plugin ${plugin} were changed by a newer version of it (${newer.join(", ")}).`,
      { help: "Install that version of the plugin again." },
    );
  }
  for (const name of names) {
    if (done.has(name)) continue;
    await database.transaction().execute(async (transaction) => {
      // Another daemon may have been sooner.
      if ((await namesIn(transaction)).has(name)) return;
      await migrations[name]?.(transaction as unknown as Kysely<unknown>);
      const row = { name, applied_at: clock.now() };
      await transaction.insertInto("reeve_migrations").values(row).execute();
    });
  }
}

async function namesIn(database: Kysely<MigrationTable>): Promise<ReadonlySet<string>> {
  const applied = await database.selectFrom("reeve_migrations").select("name").execute();
  return new Set(applied.map(({ name }) => name));
}
