/** A plugin's small key-value spaces, shared by daemons. */
import type { Pool } from "pg";
import type { StoreMap } from "../../plugin-api/state.js";
import { decode, encode } from "../store/json.js";
import { largestValue } from "../store/maps.js";
import { endOf } from "../store/range.js";
import { rowsFrom } from "./connection.js";

export function sharedMap<Value>(pool: () => Pool, plugin: string, name: string): StoreMap<Value> {
  const of = [plugin, name];
  return {
    async get(key) {
      const { rows } = await rowsFrom<{ value: string }>(
        pool(),
        "SELECT value FROM maps WHERE plugin = $1 AND name = $2 AND key = $3",
        [...of, key],
      );
      return decode(rows[0]?.value) as Value | undefined;
    },
    async set(key, value) {
      const text = encode(value, `The value of "${key}" in the map "${name}"`, largestValue);
      await rowsFrom(
        pool(),
        `INSERT INTO maps (plugin, name, key, value) VALUES ($1, $2, $3, $4)
         ON CONFLICT (plugin, name, key) DO UPDATE SET value = excluded.value`,
        [...of, key, text],
      );
    },
    async delete(key) {
      const { count } = await rowsFrom(
        pool(),
        "DELETE FROM maps WHERE plugin = $1 AND name = $2 AND key = $3",
        [...of, key],
      );
      return count > 0;
    },
    async entries({ prefix = "", limit } = {}) {
      const { rows } = await rowsFrom<{ key: string; value: string }>(
        pool(),
        `SELECT key, value FROM maps
         WHERE plugin = $1 AND name = $2 AND key >= $3 AND ($4::text IS NULL OR key < $4) ORDER BY key LIMIT $5`,
        [...of, prefix, endOf(prefix) ?? null, limit ?? null],
      );
      return rows.map(({ key, value }) => [key, decode(value) as Value] as const);
    },
  };
}
