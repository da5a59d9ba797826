/** A plugin's small key-value spaces. */
import type { StoreMap } from "../../plugin-api/state.js";
import type { Database } from "./database.js";
import { encode } from "./json.js";
import { endOf } from "./range.js";

export const largestValue = 1024 * 1024;

export function mapIn<Value>(database: Database, plugin: string, name: string): StoreMap<Value> {
  return {
    async get(key) {
      const found = database.row(
        "SELECT value FROM maps WHERE plugin = ? AND name = ? AND key = ?",
        plugin,
        name,
        key,
      );
      return database.decoded(found?.value, "maps", plugin, name, key) as Value | undefined;
    },
    async set(key, value) {
      const text = encode(value, `The value of "${key}" in the map "${name}"`, largestValue);
      await database.write(() =>
        database
          .statement(
            `INSERT INTO maps (plugin, name, key, value) VALUES (?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET value = excluded.value`,
          )
          .run(plugin, name, key, text),
      );
    },
    async delete(key) {
      const { changes } = await database.write(() =>
        database
          .statement("DELETE FROM maps WHERE plugin = ? AND name = ? AND key = ?")
          .run(plugin, name, key),
      );
      return changes > 0;
    },
    async entries({ prefix = "", limit = -1 } = {}) {
      const end = endOf(prefix);
      const rows = database.rows(
        `SELECT key, value FROM maps
         WHERE plugin = ? AND name = ? AND key >= ? ${end === undefined ? "" : "AND key < ?"}
         ORDER BY key LIMIT ?`,
        ...[plugin, name, prefix, ...(end === undefined ? [] : [end]), limit],
      );
      return rows.flatMap(({ key, value }) => {
        const decoded = database.decoded(value, "maps", plugin, name, key);
        return decoded === undefined ? [] : [[key as string, decoded as Value] as const];
      });
    },
  };
}
