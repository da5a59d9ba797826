/** The event log of all daemons that share these tables, kept for clients that reconnect. */
import type { Kysely } from "kysely";
import type { KeptEvent, Tables } from "./tables.js";

export type NewEvent = Omit<KeptEvent, "id">;

/** The number of kept events. */
const kept = 10_000;
/** Events between two deletions of old ones. */
const pruning = 500;

export class KeptEvents {
  readonly #database: Kysely<Tables>;
  #sincePruned = 0;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  /** Transactions are serialized, so event numbers become visible in order. */
  async add(events: readonly NewEvent[]): Promise<void> {
    this.#sincePruned += events.length;
    const isPruned = this.#sincePruned >= pruning;
    if (isPruned) this.#sincePruned = 0;
    await this.#database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto("events")
        .values([...events])
        .execute();
      if (!isPruned) return;
      const { last } = await transaction
        .selectFrom("events")
        .select((eb) => eb.fn.max("id").as("last"))
        .executeTakeFirstOrThrow();
      await transaction
        .deleteFrom("events")
        .where("id", "<=", Number(last ?? 0) - kept)
        .execute();
    });
  }

  /** Oldest first. */
  after(id: number, limit: number): Promise<readonly KeptEvent[]> {
    return this.#database
      .selectFrom("events")
      .selectAll()
      .where("id", ">", id)
      .orderBy("id")
      .limit(limit)
      .execute();
  }

  /** The first and last kept numbers; 0 if there are none. */
  async range(): Promise<{ readonly first: number; readonly last: number }> {
    const { first, last } = await this.#database
      .selectFrom("events")
      .select((eb) => [eb.fn.min("id").as("first"), eb.fn.max("id").as("last")])
      .executeTakeFirstOrThrow();
    return { first: Number(first ?? 0), last: Number(last ?? 0) };
  }
}
