/** Which times of schedules are done, in the database that daemons may share. */
import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import type { Migration, PluginContext } from "reeve/plugin";

interface Tables {
  schedule_slots: {
    /** A schedule; with its host where each host has its own times. */
    schedule: string;
    /** `2026-03-29T01:00:00.000Z`. */
    planned: string;
    /** The host that claimed it. */
    host: string;
    /** A new one for each claim. */
    claim: string;
    /** When another host may take it over, in milliseconds since the epoch. */
    until: string;
    /** The run that it became; empty as long as its host has not recorded one. */
    run: string;
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

const claims: Migration = async (database) => {
  for (const [column, earlier] of [
    ["claim", ""],
    ["until", "0"],
    ["run", "earlier"],
  ] as const) {
    await database.schema
      .alterTable("schedule_slots")
      .addColumn(column, "text", (each) => each.notNull().defaultTo(earlier))
      .execute();
  }
};

export const migrations = { "001_schedule_slots": slots, "002_schedule_claims": claims };

/** Milliseconds. A daemon that is late must still find what another one claimed. */
const KEPT = 3_600_000;

/** Milliseconds until a claim without a run may be taken over. */
const CLAIM_LEASE = 30_000;

/** Times are in milliseconds since the epoch. */
export interface OpenSlot {
  readonly planned: number;
  readonly host: string;
  readonly claim: string;
  /** When its claim ends. */
  readonly until: number;
}

export class SlotStore {
  readonly #database: Kysely<Tables>;
  readonly #now: () => number;

  constructor(database: Kysely<Tables>, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  static async open({ store, clock }: Pick<PluginContext, "store" | "clock">): Promise<SlotStore> {
    return new SlotStore(await store.database<Tables>(migrations), () => clock.now());
  }

  /** The latest planned time that is not after `until`, in milliseconds since the epoch; `undefined` for a new schedule. */
  async latest(schedule: string, until: number): Promise<number | undefined> {
    const row = await this.#database
      .selectFrom("schedule_slots")
      .select("planned")
      .where("schedule", "=", schedule)
      .where("planned", "<=", iso(until))
      .orderBy("planned", "desc")
      .limit(1)
      .executeTakeFirst();
    return row && Date.parse(row.planned);
  }

  /** Claimed times that became no run yet, oldest first. */
  async open(schedule: string): Promise<readonly OpenSlot[]> {
    const rows = await this.#database
      .selectFrom("schedule_slots")
      .select(["planned", "host", "claim", "until"])
      .where("schedule", "=", schedule)
      .where("run", "=", "")
      .orderBy("planned")
      .execute();
    return rows.map(({ planned, until, ...row }) => ({
      ...row,
      planned: Date.parse(planned),
      until: Number(until),
    }));
  }

  /**
   * The claim, if this call is the first one for the time and none is later. Forgets the times long before it.
   * `run`: empty, or for times that become none. `lead`: milliseconds from now; what is planned later does not count.
   */
  async claim(
    schedule: string,
    planned: number,
    host: string,
    { run, lead }: { readonly run: string; readonly lead: number },
  ): Promise<string | undefined> {
    const latest = await this.latest(schedule, this.#now() + lead);
    if (latest !== undefined && latest >= planned) return undefined;
    const written = await this.#database
      .insertInto("schedule_slots")
      .values({ schedule, planned: iso(planned), run, ...this.#claimOf(host) })
      .onConflict((conflict) => conflict.doNothing())
      .returning("claim")
      .executeTakeFirst();
    if (written === undefined) return undefined;
    await this.#database
      .deleteFrom("schedule_slots")
      .where("schedule", "=", schedule)
      .where("planned", "<", iso(planned - KEPT))
      .execute();
    return written.claim;
  }

  /** A new claim of a time that became no run, if no other host was faster. */
  async takeOver(
    schedule: string,
    { planned, claim }: OpenSlot,
    host: string,
  ): Promise<string | undefined> {
    const taken = await this.#database
      .updateTable("schedule_slots")
      .set(this.#claimOf(host))
      .where("schedule", "=", schedule)
      .where("planned", "=", iso(planned))
      .where("claim", "=", claim)
      .where("run", "=", "")
      .returning("claim")
      .executeTakeFirst();
    return taken?.claim;
  }

  /** Whether the time is this run's: `false` once another host has taken the claim over. */
  async confirm(schedule: string, claim: string, run: string): Promise<boolean> {
    const confirmed = await this.#database
      .updateTable("schedule_slots")
      .set({ run })
      .where("schedule", "=", schedule)
      .where("claim", "=", claim)
      .where("run", "in", ["", run])
      .returning("run")
      .executeTakeFirst();
    return confirmed !== undefined;
  }

  #claimOf(host: string): {
    readonly host: string;
    readonly claim: string;
    readonly until: string;
  } {
    return { host, claim: randomUUID(), until: String(this.#now() + CLAIM_LEASE) };
  }
}

const iso = (time: number): string => new Date(time).toISOString();
