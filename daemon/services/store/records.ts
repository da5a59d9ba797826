/** Small records of the host's own rooms. */
import type { Records } from "../contract.js";
import type { Database } from "./database.js";
import { encode } from "./json.js";
import { endOf } from "./range.js";

/** A generation's record holds a whole plan. */
const largest = 16 * 1024 * 1024;

export function recordsIn(database: Database, namespace: string): Records {
  return {
    async get<Value>(key: string) {
      const found = database.row(
        "SELECT value FROM records WHERE namespace = ? AND key = ?",
        namespace,
        key,
      );
      return database.decoded(found?.value, "records", namespace, key) as Value | undefined;
    },
    async set(key, value, survives) {
      const text = encode(value, `The record ${namespace}/${key}`, largest);
      await database.write(
        () =>
          database
            .statement(
              `INSERT INTO records (namespace, key, value) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET value = excluded.value`,
            )
            .run(namespace, key, text),
        survives,
      );
    },
    async delete(key, survives) {
      await database.write(
        () =>
          database
            .statement("DELETE FROM records WHERE namespace = ? AND key = ?")
            .run(namespace, key),
        survives,
      );
    },
    async list<Value>(
      options: {
        readonly prefix?: string;
        readonly newest?: boolean;
        readonly limit?: number;
      } = {},
    ) {
      const { prefix = "", newest = false, limit = -1 } = options;
      const end = endOf(prefix);
      const rows = database.rows(
        `SELECT key, value FROM records
         WHERE namespace = ? AND key >= ? ${end === undefined ? "" : "AND key < ?"}
         ORDER BY key ${newest ? "DESC" : "ASC"} LIMIT ?`,
        ...[namespace, prefix, ...(end === undefined ? [] : [end]), limit],
      );
      return rows.flatMap(({ key, value }) => {
        const decoded = database.decoded(value, "records", namespace, key);
        return decoded === undefined ? [] : [{ key: key as string, value: decoded as Value }];
      });
    },
  };
}
