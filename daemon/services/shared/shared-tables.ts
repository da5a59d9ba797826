/** Tables of plugins in the database that daemons share: a schema a plugin. */
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Clock } from "../../plugin-api/context.js";
import type { Migration } from "../../plugin-api/state.js";
import type { PluginDatabaseUser } from "../store/plugin-databases.js";
import { poolFor, rowsFrom } from "./connection.js";

/** Connections a plugin. */
const connections = 10;

interface Open {
  readonly kysely: Promise<Kysely<unknown>>;
  users: number;
}

/** Of letters, digits and `_`, a different one for each plugin. */
const schemaOf = (plugin: string): string =>
  `reeve_plugin_${plugin.replace(/[^a-z0-9]/g, (letter) => `_${letter.charCodeAt(0).toString(16)}_`)}`;

export class SharedTables {
  readonly #address: string;
  readonly #open = new Map<string, Open>();

  constructor(address: string) {
    this.#address = address;
  }

  /** Whether the plugin keeps tables here. */
  has(plugin: string): boolean {
    return this.#open.has(plugin);
  }

  /** A way to the plugin's tables for one instance. */
  user(plugin: string, clock: Clock): PluginDatabaseUser {
    let mine: Open | undefined;
    return {
      database: async <Tables>(migrations: Readonly<Record<string, Migration>>) => {
        mine ??= this.#acquire(plugin);
        const [kysely, { migrate }] = await Promise.all([
          mine.kysely,
          import("../store/plugin-tables.js"),
        ]);
        await migrate(kysely, migrations, { plugin, clock });
        return kysely as Kysely<Tables>;
      },
      release: async () => {
        const held = mine;
        mine = undefined;
        if (!held || --held.users > 0) return;
        if (this.#open.get(plugin) === held) this.#open.delete(plugin);
        const kysely = await held.kysely.catch(() => undefined);
        await kysely?.destroy();
      },
    };
  }

  #acquire(plugin: string): Open {
    const found = this.#open.get(plugin);
    if (found) {
      found.users += 1;
      return found;
    }
    const open: Open = { kysely: this.#connect(plugin), users: 1 };
    this.#open.set(plugin, open);
    // Another try, not the same failure for ever.
    open.kysely.catch(() => {
      if (this.#open.get(plugin) === open) this.#open.delete(plugin);
    });
    return open;
  }

  async #connect(plugin: string): Promise<Kysely<unknown>> {
    const schema = schemaOf(plugin);
    const pool: Pool = await poolFor({ address: this.#address, most: connections, schema });
    try {
      await rowsFrom(pool, `CREATE SCHEMA IF NOT EXISTS ${schema}`);
      const { kyselyOnPool } = await import("./kysely.js");
      return kyselyOnPool(pool, plugin);
    } catch (thrown) {
      await pool.end();
      throw thrown;
    }
  }
}
