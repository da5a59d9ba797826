/** What happened, as far back as somebody may have been away who listens: of all daemons that share these tables. */
import type { Kysely } from "kysely";
import type { KeptEvent, Tables } from "./tables.js";

export type NewEvent = Omit<KeptEvent, "id">;

/** Events that are kept. */
const kept = 10_000;
/** Events between two looks at what is to be forgotten. */
const pruning = 500;

export class KeptEvents {
  readonly #database: Kysely<Tables>;
  #sincePruned = 0;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  /** In a transaction: they take turns, so whoever has seen one number has seen all before it. */
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

  /** The numbers of the first and the last that are kept; 0 where there are none. */
  async range(): Promise<{ readonly first: number; readonly last: number }> {
    const { first, last } = await this.#database
      .selectFrom("events")
      .select((eb) => [eb.fn.min("id").as("first"), eb.fn.max("id").as("last")])
      .executeTakeFirstOrThrow();
    return { first: Number(first ?? 0), last: Number(last ?? 0) };
  }
}
