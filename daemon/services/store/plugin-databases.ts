/** Tables of a plugin's own: one file a plugin, so that no query can reach another plugin's. */
import { join } from "node:path";
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
  readonly damaged?: (what: string, kept: string) => void;
}

/** Loaded with the first database: most daemons have no plugin with tables, and kysely is many files. */
const tables = () => import("./plugin-tables.js");

interface Shared {
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
        const migrated = mine.migrating.then(() => migrate(kysely, migrations, options));
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
    const options = { path, log, now: () => clock.now(), exclusive: false };
    const database = openDatabase({ ...options, ...(damaged && { damaged }) });
    const shared = {
      kysely: tables().then(({ kyselyOn }) => kyselyOn(database, path)),
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
