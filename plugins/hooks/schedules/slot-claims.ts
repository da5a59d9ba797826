/** What this host knows of the planned times of its schedules: claims in the store, and records of runs. */
import type { PluginContext } from "reeve/plugin";
import type { ScheduleBlock } from "../blocks/blocks.js";
import { type OpenSlot, SlotStore } from "./slot-store.js";

/** Runs whose records show times that the store does not know yet. */
const RECENT = 20;

/** Milliseconds by which the clock that wrote a time may be ahead of this host's: another host's may differ. Later ones do not count. */
const LEAD: Readonly<Record<ScheduleBlock["values"]["hosts"], number>> = {
  each: 60_000,
  one: 3_600_000,
};

export class SlotClaims {
  readonly #context: PluginContext;
  #store: Promise<SlotStore> | undefined;

  constructor(context: PluginContext) {
    this.#context = context;
  }

  /** With its host where each host has its own times. */
  identity({ key, values }: ScheduleBlock): string {
    return values.hosts === "one" ? key : `${key}@${this.#context.host}`;
  }

  /**
   * The latest time that is done: a record is written before the store knows of it. A new schedule has done all until now, and so has
   * one that has done only what lies in the future: the clock was set back.
   */
  async cursor(block: ScheduleBlock): Promise<number> {
    const store = await this.#opened();
    const now = this.#context.clock.now();
    const until = now + LEAD[block.values.hosts];
    const done = await store.latest(this.identity(block), until);
    const recorded = (await this.#recorded(block)).filter((planned) => planned <= until);
    const known = Math.max(done ?? 0, ...recorded);
    if (known > 0) return known;
    await this.claim(block, now, "new");
    return now;
  }

  /** The claim, if no other host has one. `run`: for times that become no run. */
  async claim(block: ScheduleBlock, planned: number, run = ""): Promise<string | undefined> {
    const store = await this.#opened();
    const lead = LEAD[block.values.hosts];
    return store.claim(this.identity(block), planned, this.#context.host, { run, lead });
  }

  /** Only times of all hosts together are claimed for a run: those of a schedule's key. */
  async confirm(key: string, claim: string, run: string): Promise<boolean> {
    return (await this.#opened()).confirm(key, claim, run);
  }

  /** Claimed times whose run no host has recorded, without those of runs of this host that are not confirmed yet. */
  async open(block: ScheduleBlock): Promise<readonly OpenSlot[]> {
    const open = await (await this.#opened()).open(this.identity(block));
    if (open.every(({ host }) => host !== this.#context.host)) return open;
    const recorded = await this.#recorded(block);
    return open.filter(
      ({ host, planned }) => host !== this.#context.host || !recorded.includes(planned),
    );
  }

  async takeOver(block: ScheduleBlock, slot: OpenSlot): Promise<string | undefined> {
    return (await this.#opened()).takeOver(this.identity(block), slot, this.#context.host);
  }

  #opened(): Promise<SlotStore> {
    this.#store ??= SlotStore.open(this.#context);
    this.#store.catch(() => (this.#store = undefined));
    return this.#store;
  }

  async #recorded({ key: subject }: ScheduleBlock): Promise<readonly number[]> {
    const runs = await this.#context.runs.list({ subject, limit: RECENT });
    return runs.flatMap(({ detail }) => {
      const { slot } = (detail ?? {}) as { readonly slot?: unknown };
      return typeof slot === "string" ? [Date.parse(slot)] : [];
    });
  }
}
