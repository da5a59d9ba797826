/** Tables of a plugin's own: one file a plugin, so that no query can reach another plugin's. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Kysely } from "kysely";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { Migration } from "../../plugin-api/state.js";
import { openDatabase } from "./open.js";

export interface PluginDatabaseOptions {
  readonly plugin: string;
  /** The plugin's own directory for state. */
  readonly directory: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly damaged?: (what: string, kept?: string) => void;
}

/** Loaded with the first database: most daemons have no plugin with tables, and kysely is many files. */
const tables = () => import("./plugin-tables.js");

/** Pages of the write-ahead log. */
const FRAMES = 1000;

interface Shared {
  readonly database: DatabaseSync;
  readonly kysely: Promise<Kysely<unknown>>;
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
        const mine = shared;
        const [{ migrate }, kysely] = await Promise.all([tables(), mine.kysely]);
        const migrated = mine.migrating.then(async () => {
          rememberDone(mine.database, Object.keys(migrations));
          await migrate(kysely, migrations, options);
          noteDone(mine.database);
        });
        mine.migrating = migrated.catch(() => undefined);
        await migrated;
        return kysely as Kysely<Tables>;
      },
      release: async () => {
        const held = shared;
        shared = undefined;
        if (!held || --held.users > 0) return;
        this.#open.delete(path);
        await held.migrating;
        await (await held.kysely).destroy();
      },
    };
  }

  #acquire(path: string, { log, clock, damaged }: PluginDatabaseOptions): Shared {
    const found = this.#open.get(path);
    if (found) {
      found.users += 1;
      return found;
    }
    const options = { path, log, now: () => clock.now(), exclusive: false, frames: FRAMES };
    const opened = openDatabase({ ...options, ...(damaged && { damaged }) });
    const shared = {
      database: opened.database,
      kysely: tables().then(({ kyselyOn }) => kyselyOn(opened, path)),
      migrating: Promise.resolve(),
      users: 1,
    };
    this.#open.set(path, shared);
    return shared;
  }
}

const migrationTable = "reeve_migrations";

/** Their number stands in the header of the file as well: where rows of the table are damaged, a migration must not run again on tables that have it. */
function noteDone(database: DatabaseSync): void {
  const count = Number(database.prepare(`SELECT count(*) AS n FROM ${migrationTable}`).get()?.n);
  if (count !== doneIn(database)) database.exec(`PRAGMA user_version = ${count}`);
}

/** Migrations are made in the order of their names. */
function rememberDone(database: DatabaseSync, names: readonly string[]): void {
  const known = "SELECT 1 FROM sqlite_schema WHERE name = ?";
  if (database.prepare(known).get(migrationTable) === undefined) return;
  const add = database.prepare(`INSERT OR IGNORE INTO ${migrationTable} VALUES (?, 0)`);
  for (const name of names.toSorted().slice(0, doneIn(database))) add.run(name);
}

const doneIn = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);

export interface PluginDatabaseUser {
  database<Tables>(migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
  release(): Promise<void>;
}
