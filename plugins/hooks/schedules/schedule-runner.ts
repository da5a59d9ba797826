/** Starts the runs of schedules at their times, and records what was missed or skipped. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock, ScheduleBlock } from "../blocks/blocks.js";
import { commandOf } from "../decide/command.js";
import type { Refusal } from "../decide/refusal.js";
import { HookRuntime, type HookTools } from "../runs/hook-runtime.js";
import type { ScheduleMetrics } from "../telemetry/metrics.js";
import { commandBlockOf } from "./command-block.js";
import { type DoneSlot, SlotStore } from "./slot-store.js";
import { type DueSlots, Slots } from "./slots.js";

/** Milliseconds. Timers are checked against the wall clock: a host may have been suspended. */
const LONGEST_SLEEP = 3_600_000;
/** A start this late is not missed. */
const GRACE = 60_000;
/** Between attempts while the store cannot be reached. */
const STORE_AGAIN = 5000;
/** Runs whose records show times that the store does not know yet. */
const RECENT = 20;

interface Entry {
  block: ScheduleBlock;
  slots: Slots;
  readonly runtime: HookRuntime<CommandBlock>;
  /** The latest time that is done; unknown until the store has been read. */
  cursor: number | undefined;
  /** When to look at it again. */
  at: number;
  busy: boolean;
  missed: number;
  skipped: number;
  lastSuccess: number | undefined;
}

export type ScheduleState = Readonly<Omit<Entry, "busy">>;

export class ScheduleRunner {
  readonly #tools: HookTools;
  readonly #metrics: ScheduleMetrics;
  readonly #leave: (runtime: HookRuntime<CommandBlock>) => void;
  readonly #entries = new Map<string, Entry>();
  #wake = new AbortController();
  #ended = false;
  #store: Promise<SlotStore> | undefined;
  #loop: Promise<void> | undefined;
  readonly #open = new Set<Promise<void>>();

  /** `leave` receives the runtimes of removed schedules. */
  constructor(
    tools: HookTools,
    metrics: ScheduleMetrics,
    leave: (runtime: HookRuntime<CommandBlock>) => void,
  ) {
    this.#tools = tools;
    this.#metrics = metrics;
    this.#leave = leave;
  }

  get schedules(): readonly ScheduleState[] {
    return [...this.#entries.values()];
  }

  get runtimes(): ReadonlyArray<HookRuntime<CommandBlock>> {
    return [...this.#entries.values()].map(({ runtime }) => runtime);
  }

  /** The schedules of a new generation. An edited one keeps its cursor. */
  set(blocks: readonly ScheduleBlock[]): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const block of blocks) {
      const present = before.get(block.key);
      before.delete(block.key);
      const slots = new Slots(block.values, this.#identity(block));
      if (!present) this.#entries.set(block.key, this.#entryOf(block, slots));
      else if (present.block === block) this.#entries.set(block.key, present);
      else {
        const isMoved = present.block.values.hosts !== block.values.hosts;
        Object.assign(present, { block, slots, at: 0, ...(isMoved && { cursor: undefined }) });
        present.runtime.reconfigure(commandBlockOf(block));
        this.#entries.set(block.key, present);
      }
    }
    for (const { runtime } of before.values()) this.#leave(runtime);
    if (this.#entries.size > 0) this.#loop ??= this.#run();
    this.#wake.abort();
  }

  /** Starts nothing any more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake.abort();
    await this.#loop;
    await Promise.all(this.#open);
  }

  #entryOf(block: ScheduleBlock, slots: Slots): Entry {
    const runtime = new HookRuntime(commandBlockOf(block), this.#tools);
    const counts = { missed: 0, skipped: 0, lastSuccess: undefined };
    return { block, slots, runtime, cursor: undefined, at: 0, busy: false, ...counts };
  }

  get #context(): PluginContext {
    return this.#tools.context;
  }

  #identity({ key, values }: ScheduleBlock): string {
    return values.hosts === "one" ? key : `${key}@${this.#context.host}`;
  }

  async #run(): Promise<void> {
    const { clock } = this.#context;
    while (!this.#ended) {
      this.#wake = new AbortController();
      let next = clock.now() + LONGEST_SLEEP;
      for (const entry of this.#entries.values()) {
        if (entry.busy) continue;
        if (entry.at > clock.now()) next = Math.min(next, entry.at);
        else this.#track(this.#attend(entry));
      }
      await clock.sleep(next - clock.now(), this.#wake.signal).catch(() => undefined);
    }
  }

  #track(work: Promise<void>): void {
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  /** Does what is due, then wakes the loop for the next time. */
  async #attend(entry: Entry): Promise<void> {
    entry.busy = true;
    const { log, clock } = this.#context;
    try {
      entry.cursor ??= await this.#cursorOf(entry);
      const { block, slots, cursor } = entry;
      const due = slots.due(cursor, clock.now());
      if (due) await this.#due(entry, due);
      if (entry.block === block) entry.at = this.#nextOf(entry);
    } catch (thrown) {
      entry.at = clock.now() + STORE_AGAIN;
      log.warn("Cannot look after a schedule now", {
        schedule: entry.block.label,
        reason: String(thrown),
      });
    } finally {
      entry.busy = false;
      this.#wake.abort();
    }
  }

  #nextOf({ block, slots, cursor = 0 }: Entry): number {
    const planned = slots.next(cursor);
    if (planned === undefined) return Number.POSITIVE_INFINITY;
    this.#metrics.next.set((planned + slots.delay) / 1000, { schedule: block.label ?? "" });
    return planned + slots.delay;
  }

  /** From the store and the latest records: a record is written before the store knows of it. */
  async #cursorOf(entry: Entry): Promise<number> {
    const { block } = entry;
    this.#store ??= SlotStore.open(this.#context.store);
    this.#store.catch(() => (this.#store = undefined));
    const store = await this.#store;
    const done = await store.latest(this.#identity(block));
    const recorded = await this.#recordedSlots(block.key);
    if (done) await this.#startClaimed(entry, done, recorded);
    const known = Math.max(done?.planned ?? 0, ...recorded);
    if (known > 0) return known;
    const now = this.#context.clock.now();
    await store.claim(this.#identity(block), now, this.#context.host);
    return now;
  }

  async #recordedSlots(subject: string): Promise<readonly number[]> {
    const runs = await this.#context.runs.list({ subject, limit: RECENT });
    return runs.flatMap(({ detail }) => {
      const { slot } = (detail ?? {}) as { readonly slot?: unknown };
      return typeof slot === "string" ? [Date.parse(slot)] : [];
    });
  }

  /** A time of all hosts that this host claimed, and died before the run was recorded. */
  async #startClaimed(entry: Entry, done: DoneSlot, recorded: readonly number[]): Promise<void> {
    const { block, slots } = entry;
    const isOwn = block.values.hosts === "one" && done.host === this.#context.host;
    // The first claim of a new schedule is no time of its own.
    const isPlanned = slots.next(done.planned - 1) === done.planned;
    if (!isOwn || !isPlanned || recorded.includes(done.planned)) return;
    await this.#start(entry, done.planned, 0);
  }

  async #due(entry: Entry, { latest, count }: DueSlots): Promise<void> {
    const { block, slots } = entry;
    const { catch_up, hosts } = block.values;
    const late = this.#context.clock.now() - latest - slots.delay;
    const starts = late <= Math.max(GRACE, catch_up);
    const missed = starts ? count - 1 : count;
    const store = await (this.#store as Promise<SlotStore>);
    if (hosts === "one" && !(await this.#claim(store, entry, latest))) return;
    if (missed > 0) await this.#missed(entry, missed, latest);
    if (starts) await this.#start(entry, latest, missed);
    entry.cursor = latest;
    if (hosts === "each") await this.#claim(store, entry, latest);
  }

  async #claim(store: SlotStore, entry: Entry, planned: number): Promise<boolean> {
    const isFirst = await store.claim(this.#identity(entry.block), planned, this.#context.host);
    entry.cursor = planned;
    return isFirst;
  }

  async #start(entry: Entry, planned: number, missed: number): Promise<void> {
    const { block, runtime } = entry;
    const { clock, log } = this.#context;
    const slot = new Date(planned).toISOString();
    const now = clock.now();
    const scope = { planned_at: rfc3339(planned), started_at: rfc3339(now), missed };
    const command = commandOf(runtime.block, scope, new Uint8Array());
    if ("reason" in command) return this.#notStarted(entry, slot, command.detail);
    if (block.values.overlap === "replace") runtime.cancelAll("A newer run replaced it.");
    const run = await runtime.trigger(
      runtime.block,
      { ...command, detail: { slot } },
      `schedule for ${rfc3339(planned)}`,
    );
    if ("reason" in run) return this.#refused(entry, slot, run);
    this.#metrics.lag.set((now - planned - entry.slots.delay) / 1000, labelOf(block));
    void run.finished.then(({ state }) => {
      if (state !== "succeeded") return;
      entry.lastSuccess = clock.now();
      this.#metrics.lastSuccess.set(entry.lastSuccess / 1000, labelOf(block));
    });
    log.debug("A schedule started a run", { schedule: block.label, run: run.id, slot });
  }

  async #refused(entry: Entry, slot: string, { reason, detail }: Refusal): Promise<void> {
    if (reason !== "queue_full") return this.#notStarted(entry, slot, text(detail));
    entry.skipped += 1;
    this.#metrics.skipped.add(1, labelOf(entry.block));
    const why = "Skipped: the previous run has not ended.";
    await this.#record(entry, "cancelled", { slot, skipped: true }, why);
    this.#context.events.emit("schedule.skipped", { schedule: entry.block.label, slot });
  }

  async #missed(entry: Entry, count: number, latest: number): Promise<void> {
    const slot = new Date(latest).toISOString();
    entry.missed += count;
    this.#metrics.missed.add(count, labelOf(entry.block));
    const what = count === 1 ? "One run was missed" : `${count} runs were missed`;
    await this.#record(
      entry,
      "cancelled",
      { missed: count, until: slot },
      `${what}: the daemon was not running, or the host's clock was set forward.`,
    );
    this.#context.events.emit("schedule.missed", { schedule: entry.block.label, count, slot });
    this.#context.log.warn("A schedule missed runs", { schedule: entry.block.label, count, slot });
  }

  #notStarted(entry: Entry, slot: string, detail: string | (() => string)): Promise<void> {
    return this.#record(entry, "failed", { slot }, text(detail));
  }

  /** A run that has no command. */
  async #record(
    { block }: Entry,
    state: "cancelled" | "failed",
    detail: Readonly<Record<string, unknown>>,
    reason: string,
  ): Promise<void> {
    const { kind, key: subject } = block;
    const run = await this.#context.runs.start({
      ...{ kind, subject, state: "queued", trigger: "schedule", detail },
    });
    await run.finish({ state, reason });
  }
}

const text = (detail: string | (() => string)): string =>
  typeof detail === "string" ? detail : detail();

const labelOf = ({ label = "" }: ScheduleBlock) => ({ schedule: label });

/** Without milliseconds. */
const rfc3339 = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
