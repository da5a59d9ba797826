/**
 * What is written survives the daemon at once, and a power cut a little later: waiting for the disk costs more than all else that a
 * record costs. Whoever needs it sooner asks for it: an answer to somebody, a step that is seen from outside. Records are
 * written in order, so a power cut takes the last of them and never one in the middle.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type Kysely, SqliteAdapter, sql } from "kysely";
import type { Tables } from "./tables.js";

export class GroupCommit {
  readonly #database: Kysely<Tables>;
  /** Shared by all who ask within one turn of the event loop. */
  #next: Promise<void> | undefined;
  /** Rows changed so far when the disk was last waited for. */
  #flushedChanges: number | undefined;

  private constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  /** Only SQLite is asked to hurry: a database that daemons share waits for its disk by its own rules. */
  static async begin(database: Kysely<Tables>): Promise<GroupCommit | undefined> {
    if (!(database.getExecutor().adapter instanceof SqliteAdapter)) return undefined;
    await sql`PRAGMA synchronous = NORMAL`.execute(database);
    return new GroupCommit(database);
  }

  /** Resolves when everything that was written before survives a power cut. @throws when the disk refuses */
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
        // A commit that waits for the disk takes those before it along.
        await connection.updateTable("settled").set({ at: changes }).execute();
        this.#flushedChanges = changes + 1;
      } finally {
        await sql`PRAGMA synchronous = NORMAL`.execute(connection);
      }
    });
  }
}
