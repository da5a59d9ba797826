/** Which times of schedules are done, in the database that daemons may share. */
import type { Kysely } from "kysely";
import type { Migration, Store } from "reeve/plugin";

interface Tables {
  schedule_slots: {
    /** A schedule; with its host where each host has its own times. */
    schedule: string;
    /** `2026-03-29T01:00:00.000Z`. */
    planned: string;
    /** The host that claimed it. */
    host: string;
  };
}

const slots: Migration = async (database) => {
  await database.schema
    .createTable("schedule_slots")
    .addColumn("schedule", "text", (column) => column.notNull())
    .addColumn("planned", "text", (column) => column.notNull())
    .addColumn("host", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("schedule_slots_key", ["schedule", "planned"])
    .execute();
};

/** Milliseconds. A daemon that is late must still find what another one claimed. */
const KEPT = 3_600_000;

export interface DoneSlot {
  /** Milliseconds since the epoch. */
  readonly planned: number;
  readonly host: string;
}

export class SlotStore {
  readonly #database: Kysely<Tables>;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  static async open(store: Store): Promise<SlotStore> {
    return new SlotStore(await store.database<Tables>({ "001_schedule_slots": slots }));
  }

  /** The latest one; `undefined` for a new schedule. */
  async latest(schedule: string): Promise<DoneSlot | undefined> {
    const row = await this.#database
      .selectFrom("schedule_slots")
      .select(["planned", "host"])
      .where("schedule", "=", schedule)
      .orderBy("planned", "desc")
      .limit(1)
      .executeTakeFirst();
    return row && { planned: Date.parse(row.planned), host: row.host };
  }

  /** Whether this call is the first one for the time. Forgets the times before it. */
  async claim(schedule: string, planned: number, host: string): Promise<boolean> {
    const time = new Date(planned).toISOString();
    const latest = await this.latest(schedule);
    if (latest && latest.planned >= planned) return false;
    const written = await this.#database
      .insertInto("schedule_slots")
      .values({ schedule, planned: time, host })
      .onConflict((conflict) => conflict.doNothing())
      .returning("planned")
      .executeTakeFirst();
    if (written === undefined) return false;
    await this.#database
      .deleteFrom("schedule_slots")
      .where("schedule", "=", schedule)
      .where("planned", "<", new Date(planned - KEPT).toISOString())
      .execute();
    return true;
  }
}
