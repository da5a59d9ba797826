/**
 * Group commit for SQLite. A write survives the daemon at once, and a power cut shortly after: waiting for the disk is the largest cost
 * of a write. `flushed` waits for it, before a response or an external effect. Writes keep their order, so a power cut loses only
 * the last ones.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type Kysely, SqliteAdapter, sql } from "kysely";
import type { Tables } from "./tables.js";

export class GroupCommit {
  readonly #database: Kysely<Tables>;
  /** Shared by all calls of one event loop turn. */
  #next: Promise<void> | undefined;
  /** `total_changes()` at the last flush. */
  #flushedChanges: number | undefined;

  private constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  /** SQLite only: a shared database has its own durability settings. */
  static async begin(database: Kysely<Tables>): Promise<GroupCommit | undefined> {
    if (!(database.getExecutor().adapter instanceof SqliteAdapter)) return undefined;
    await sql`PRAGMA synchronous = NORMAL`.execute(database);
    return new GroupCommit(database);
  }

  /** Resolves when all previous writes survive a power cut. @throws if the disk fails */
  flushed(): Promise<void> {
    this.#next ??= turn().then(() => {
      this.#next = undefined;
      return this.#flush();
    });
    return this.#next;
  }

  #flush(): Promise<void> {
    return this.#database.connection().execute(async (connection) => {
      const { rows } = await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(
        connection,
      );
      const changes = Number(rows[0]?.changes);
      if (changes === this.#flushedChanges) return;
      await sql`PRAGMA synchronous = FULL`.execute(connection);
      try {
        // A synchronous commit also flushes the ones before it.
        await connection.updateTable("settled").set({ at: changes }).execute();
        this.#flushedChanges = changes + 1;
      } finally {
        await sql`PRAGMA synchronous = NORMAL`.execute(connection);
      }
    });
  }
}
