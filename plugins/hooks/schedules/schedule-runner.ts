/** Starts the runs of schedules at their times, and records what was missed or skipped. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock, ScheduleBlock } from "../blocks/blocks.js";
import { commandOf, type HookCommand } from "../decide/command.js";
import { detailText } from "../decide/refusal.js";
import { HookRuntime, type HookTools } from "../runs/hook-runtime.js";
import type { ScheduleMetrics } from "../telemetry/metrics.js";
import { commandBlockOf } from "./command-block.js";
import { SlotClaims } from "./slot-claims.js";
import { labelOf, SlotRecords } from "./slot-records.js";
import { type DueSlots, rfc3339, Slots } from "./slots.js";

/** Milliseconds. Timers are checked against the wall clock: a host may have been suspended. */
const LONGEST_SLEEP = 3_600_000;
/** A start this late is not missed. */
const GRACE = 60_000;
/** Between attempts while the store cannot be reached. */
const STORE_AGAIN = 5000;

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
  readonly #records: SlotRecords;
  readonly #claims: SlotClaims;
  readonly #leave: (runtime: HookRuntime<CommandBlock>) => void;
  readonly #entries = new Map<string, Entry>();
  #wake = new AbortController();
  #ended = false;
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
    this.#records = new SlotRecords(tools.context, metrics, tools.chain);
    this.#claims = new SlotClaims(tools.context);
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
      const slots = new Slots(block.values, this.#claims.identity(block));
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

  /** Starts a run now, by hand; the times of the schedule stay. The result is the run's id, or why there is none. */
  async startNow(
    block: ScheduleBlock,
  ): Promise<{ readonly run: string } | { readonly refused: string }> {
    const entry = this.#entries.get(block.key);
    if (entry === undefined) return { refused: "The schedule has been removed." };
    const now = rfc3339(this.#context.clock.now());
    const scope = { planned_at: now, started_at: now, missed: 0, attempt: 1 };
    const { runtime } = entry;
    const command = commandOf(runtime.block, scope, new Uint8Array());
    const started =
      "reason" in command ? command : await this.#trigger(entry, { ...command, scope }, "by hand");
    if ("reason" in started) return { refused: detailText(started.detail) };
    this.#countSuccess(entry, started.finished);
    return { run: started.id };
  }

  /** Starts nothing any more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake.abort();
    await this.#loop;
    await Promise.all(this.#open);
  }

  #entryOf(block: ScheduleBlock, slots: Slots): Entry {
    const runtime = new HookRuntime(commandBlockOf(block), this.#tools, (run, detail) =>
      this.#lossOf(this.#entries.get(block.key)?.block ?? block, run, detail),
    );
    const counts = { missed: 0, skipped: 0, lastSuccess: undefined };
    return { block, slots, runtime, cursor: undefined, at: 0, busy: false, ...counts };
  }

  get #context(): PluginContext {
    return this.#tools.context;
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
      entry.cursor ??= await this.#claims.cursor(entry.block);
      const { block, slots, cursor } = entry;
      const due = slots.due(cursor, clock.now());
      if (due) await this.#due(entry, due);
      const isShared = block.values.hosts === "one";
      const again = isShared ? await this.#takeOver(entry) : Number.POSITIVE_INFINITY;
      if (entry.block === block) entry.at = Math.min(this.#nextOf(entry), again);
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

  async #due(entry: Entry, { latest, count }: DueSlots): Promise<void> {
    const { block } = entry;
    const starts = this.#isInTime(entry, latest);
    const missed = starts ? count - 1 : count;
    if (block.values.hosts === "each") {
      if (missed > 0) await this.#records.missed(entry, missed, latest);
      if (starts) await this.#start(entry, latest, { missed });
      entry.cursor = latest;
      await this.#claims.claim(block, latest, "recorded");
      return;
    }
    const claim = await this.#claims.claim(block, latest);
    entry.cursor = latest;
    if (claim === undefined) return;
    const run = missed > 0 ? await this.#records.missed(entry, missed, latest) : "";
    if (starts) await this.#start(entry, latest, { missed, claim });
    else await this.#claims.confirm(block, claim, run);
  }

  #isInTime({ block, slots }: Entry, planned: number): boolean {
    const late = this.#context.clock.now() - planned - slots.delay;
    return late <= Math.max(GRACE, block.values.catch_up);
  }

  /** Takes over times whose host died before it recorded a run. Returns when to look again, if there are others. */
  async #takeOver(entry: Entry): Promise<number> {
    const { block } = entry;
    const { clock, host, log } = this.#context;
    let again = Number.POSITIVE_INFINITY;
    for (const slot of await this.#claims.open(block)) {
      if (slot.host !== host && slot.until > clock.now()) {
        again = Math.min(slot.until, again);
        continue;
      }
      const claim = await this.#claims.takeOver(block, slot);
      if (claim === undefined) continue;
      log.info("A schedule takes over a time that became no run", {
        ...{ schedule: block.label, from: slot.host, slot: new Date(slot.planned).toISOString() },
      });
      if (this.#isInTime(entry, slot.planned)) {
        await this.#start(entry, slot.planned, { missed: 0, claim });
      } else {
        const run = await this.#records.missed(entry, 1, slot.planned);
        await this.#claims.confirm(block, claim, run);
      }
    }
    return again;
  }

  /** Why a run must not begin: another host has taken its time over. */
  async #lossOf(
    block: ScheduleBlock,
    run: string,
    { claim }: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    if (typeof claim !== "string") return undefined;
    const isConfirmed = await this.#claims.confirm(block, claim, run);
    return isConfirmed ? undefined : "Another host took its time over.";
  }

  async #start(
    entry: Entry,
    planned: number,
    { missed, claim }: { readonly missed: number; readonly claim?: string },
  ): Promise<void> {
    const { block, runtime } = entry;
    const { clock, log } = this.#context;
    const slot = new Date(planned).toISOString();
    const now = clock.now();
    const scope = {
      ...{ planned_at: rfc3339(planned), started_at: rfc3339(now), missed, attempt: 1 },
    };
    const command = commandOf(runtime.block, scope, new Uint8Array());
    const started =
      "reason" in command
        ? command
        : await this.#trigger(
            entry,
            { ...command, scope, detail: { slot, claim } },
            `schedule for ${rfc3339(planned)}`,
          );
    if ("reason" in started) {
      const run =
        started.reason === "queue_full"
          ? await this.#records.skipped(entry, slot)
          : await this.#records.notStarted(entry, slot, started.detail);
      if (claim !== undefined) await this.#claims.confirm(block, claim, run);
      return;
    }
    this.#metrics.lag.set((now - planned - entry.slots.delay) / 1000, labelOf(block));
    this.#countSuccess(entry, started.finished);
    log.debug("A schedule started a run", { schedule: block.label, run: started.id, slot });
  }

  #countSuccess(entry: Entry, finished: Promise<{ readonly state: string }>): void {
    void finished.then(({ state }) => {
      if (state !== "succeeded") return;
      entry.lastSuccess = this.#context.clock.now();
      this.#metrics.lastSuccess.set(entry.lastSuccess / 1000, labelOf(entry.block));
    });
  }

  #trigger({ block, runtime }: Entry, command: HookCommand, trigger: string) {
    if (block.values.overlap === "replace") runtime.cancelAll("A newer run replaced it.");
    return runtime.trigger(runtime.block, command, trigger);
  }
}
