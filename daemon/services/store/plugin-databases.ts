/** Tables of a plugin's own: one file a plugin, so that no query can reach anybody else's. */
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect, sql } from "kysely";
import { ReeveError } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { Migration } from "../../plugin-api/state.js";
import { storeFailure } from "./failure.js";
import { openDatabase } from "./open.js";

export interface PluginDatabaseOptions {
  readonly plugin: string;
  /** The plugin's own directory for state. */
  readonly directory: string;
  readonly log: Log;
  readonly clock: Clock;
}

interface Shared {
  readonly kysely: Kysely<unknown>;
  /** Migrations of one file never overlap. */
  migrating: Promise<void>;
  users: number;
}

/** Two instances of a plugin may be alive for a moment: they share one connection, so that neither locks the other out. */
export class PluginDatabases {
  readonly #open = new Map<string, Shared>();

  /** A way to the plugin's tables for one instance. */
  user(options: PluginDatabaseOptions): PluginDatabaseUser {
    const path = join(options.directory, "tables.sqlite");
    let shared: Shared | undefined;
    return {
      database: async <Tables>(migrations: Readonly<Record<string, Migration>>) => {
        shared ??= this.#acquire(path, options);
        const { kysely } = shared;
        const migrated = shared.migrating.then(() => migrate(kysely, migrations, options));
        shared.migrating = migrated.catch(() => undefined);
        await migrated;
        return kysely as Kysely<Tables>;
      },
      release: async () => {
        const held = shared;
        shared = undefined;
        if (!held || --held.users > 0) return;
        this.#open.delete(path);
        await held.migrating;
        await held.kysely.destroy();
      },
    };
  }

  #acquire(path: string, { log, clock }: PluginDatabaseOptions): Shared {
    const found = this.#open.get(path);
    if (found) {
      found.users += 1;
      return found;
    }
    const database = openDatabase({ path, log, now: () => clock.now(), exclusive: false });
    const shared = {
      kysely: new Kysely<unknown>({ dialect: dialectOf(database, path) }),
      migrating: Promise.resolve(),
      users: 1,
    };
    this.#open.set(path, shared);
    return shared;
  }
}

export interface PluginDatabaseUser {
  database<Tables>(migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
  release(): Promise<void>;
}

/** kysely's own dialect, with Node's SQLite in the place of the package it was written for. */
function dialectOf(database: DatabaseSync, path: string): SqliteDialect {
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (thrown) {
      throw storeFailure(thrown, path);
    }
  };
  const connection = {
    close: () => database.close(),
    prepare: (text: string) => {
      const statement = guarded(() => database.prepare(text));
      const values = (parameters: readonly unknown[]): SQLInputValue[] =>
        parameters.map(inputValue);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) =>
          guarded(() => statement.all(...values(parameters))),
        run: (parameters: readonly unknown[]) =>
          guarded(() => statement.run(...values(parameters))),
        iterate: (parameters: readonly unknown[]) =>
          guarded(() => statement.iterate(...values(parameters))),
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

interface MigrationTable {
  reeve_migrations: { name: string; applied_at: number };
}

async function migrate(
  kysely: Kysely<unknown>,
  migrations: Readonly<Record<string, Migration>>,
  { plugin, clock }: PluginDatabaseOptions,
): Promise<void> {
  const database = kysely as Kysely<MigrationTable>;
  await sql`CREATE TABLE IF NOT EXISTS reeve_migrations (
    name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL
  ) STRICT`.execute(database);
  const applied = await database.selectFrom("reeve_migrations").select("name").execute();
  const done = new Set(applied.map(({ name }) => name));
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
      await migrations[name]?.(transaction as unknown as Kysely<unknown>);
      const row = { name, applied_at: clock.now() };
      await transaction.insertInto("reeve_migrations").values(row).execute();
    });
  }
}
