/** Starts the runs of schedules at their times, and records what was missed or skipped. */
import type { PluginContext } from "reeve/plugin";
import type { ScheduleBlock } from "../blocks/blocks.js";
import type { ScheduleScope } from "../blocks/schedule.js";
import type { HookTools } from "../runs/hook-tools.js";
import type { Detail } from "../runs/invocation.js";
import type { HookRuntimes } from "../runs/runtimes.js";
import type { ScheduleMetrics } from "../telemetry/metrics.js";
import { rfc3339 } from "../triggers/rfc3339.js";
import { type ManualStart, manualStart, type Start, start } from "../triggers/start.js";
import { TriggerBlocks, type TriggerState } from "../triggers/trigger-blocks.js";
import { SlotClaims } from "./slot-claims.js";
import { labelOf, SlotRecords } from "./slot-records.js";
import { type DueSlots, Slots } from "./slots.js";

/** Milliseconds. Timers are checked against the wall clock: the host may have been suspended, or its clock set. */
const LONGEST_SLEEP = 55_000;
/** A start this late is not missed, and a clock that is set by less counts as the same. */
const GRACE = 60_000;
/** Between attempts while the store cannot be reached. */
const STORE_AGAIN = 5000;

interface Entry extends TriggerState<ScheduleBlock> {
  slots: Slots;
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
  readonly #context: PluginContext;
  readonly #metrics: ScheduleMetrics;
  readonly #records: SlotRecords;
  readonly #claims: SlotClaims;
  readonly #entries: TriggerBlocks<ScheduleBlock, Entry>;
  /** Ends the loop's sleep; absent before the first. */
  #wake: AbortController | undefined;
  #ended = false;
  #loop: Promise<void> | undefined;
  readonly #open = new Set<Promise<void>>();

  constructor(
    { context, chain }: Pick<HookTools, "context" | "chain">,
    metrics: ScheduleMetrics,
    runtimes: HookRuntimes,
  ) {
    this.#context = context;
    this.#metrics = metrics;
    this.#records = new SlotRecords(context, metrics, chain);
    this.#claims = new SlotClaims(context);
    this.#entries = new TriggerBlocks(runtimes, {
      stateOf: (block, runtime) => ({
        block,
        runtime,
        slots: this.#slotsOf(block),
        cursor: undefined,
        at: 0,
        busy: false,
        missed: 0,
        skipped: 0,
        lastSuccess: undefined,
      }),
      lossOf: (key) => (run, detail) => this.#lossOf(key, run, detail),
    });
  }

  get schedules(): readonly ScheduleState[] {
    return this.#entries.all;
  }

  /** The schedules of a new generation. An edited one keeps its cursor. */
  set(blocks: readonly ScheduleBlock[]): void {
    for (const [entry, before] of this.#entries.set(blocks).edited) {
      const { block } = entry;
      entry.slots = this.#slotsOf(block);
      entry.at = 0;
      if (before.values.hosts !== block.values.hosts) entry.cursor = undefined;
    }
    if (blocks.length > 0) this.#loop ??= this.#run();
    this.#wake?.abort();
  }

  /** Starts a run now, by hand; the times of the schedule stay. The result is the run's id, or why there is none. */
  async startNow({ key }: ScheduleBlock): Promise<ManualStart> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { refused: "The schedule has been removed." };
    const now = this.#context.clock.now();
    return manualStart(
      await this.#trigger(entry, { trigger: "by hand", scope: scopeOf(now, now, 0) }),
    );
  }

  /** Starts nothing any more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake?.abort();
    await this.#loop;
    await Promise.all(this.#open);
  }

  #slotsOf(block: ScheduleBlock): Slots {
    return new Slots(block.values, this.#claims.identity(block));
  }

  async #run(): Promise<void> {
    const { clock } = this.#context;
    let seen = clock.now();
    while (!this.#ended) {
      const wake = new AbortController();
      this.#wake = wake;
      const step = clock.now() - seen;
      if (step < -GRACE || step > LONGEST_SLEEP + GRACE) this.#clockIsSet(step);
      seen = clock.now();
      let next = clock.now() + LONGEST_SLEEP;
      for (const entry of this.#entries.all) {
        if (entry.busy) continue;
        if (entry.at > clock.now()) next = Math.min(next, entry.at);
        else this.#track(this.#attend(entry));
      }
      await clock.sleep(next - clock.now(), wake.signal).catch(() => undefined);
    }
  }

  /** What is done is read again: times that lie in the future now are not. `step` in milliseconds. */
  #clockIsSet(step: number): void {
    if (step < 0) {
      this.#context.log.warn(
        "The host's clock was set back: schedules go on from the present time",
        { seconds: Math.round(-step / 1000) },
      );
    }
    for (const entry of this.#entries.all) Object.assign(entry, UNKNOWN);
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
      if (entry.cursor !== undefined && entry.cursor > clock.now() + GRACE) {
        entry.cursor = undefined;
      }
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
      this.#wake?.abort();
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
    else await this.#claims.confirm(block.key, claim, run);
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
        await this.#claims.confirm(block.key, claim, run);
      }
    }
    return again;
  }

  /** Why a run must not begin: another host has taken its time over. */
  async #lossOf(key: string, run: string, { claim }: Detail): Promise<string | undefined> {
    if (typeof claim !== "string") return undefined;
    const isConfirmed = await this.#claims.confirm(key, claim, run);
    return isConfirmed ? undefined : "Another host took its time over.";
  }

  async #start(
    entry: Entry,
    planned: number,
    { missed, claim }: { readonly missed: number; readonly claim?: string },
  ): Promise<void> {
    const { block } = entry;
    const { clock, log } = this.#context;
    const slot = new Date(planned).toISOString();
    const now = clock.now();
    const started = await this.#trigger(entry, {
      trigger: `schedule for ${rfc3339(planned)}`,
      scope: scopeOf(planned, now, missed),
      detail: claim === undefined ? { slot } : { slot, claim },
    });
    if ("reason" in started) {
      const run =
        started.reason === "queue_full"
          ? await this.#records.skipped(entry, slot)
          : await this.#records.notStarted(entry, slot, started.detail);
      if (claim !== undefined) await this.#claims.confirm(block.key, claim, run);
      return;
    }
    this.#metrics.lag.set((now - planned - entry.slots.delay) / 1000, labelOf(block));
    log.debug("A schedule started a run", { schedule: block.label, run: started.id, slot });
  }

  #countSuccess(entry: Entry, finished: Promise<{ readonly state: string }>): void {
    void finished.then(({ state }) => {
      if (state !== "succeeded") return;
      entry.lastSuccess = this.#context.clock.now();
      this.#metrics.lastSuccess.set(entry.lastSuccess / 1000, labelOf(entry.block));
    });
  }

  async #trigger(entry: Entry, what: Start) {
    const { block, runtime } = entry;
    if (block.values.overlap === "replace") runtime.runs.cancelAll("A newer run replaced it.");
    const started = await start(runtime, what);
    if (!("reason" in started)) this.#countSuccess(entry, started.finished);
    return started;
  }
}

const UNKNOWN = { cursor: undefined, at: 0 } as const satisfies Partial<Entry>;

/** `planned` and `now` in milliseconds since the epoch. */
const scopeOf = (planned: number, now: number, missed: number): ScheduleScope => ({
  planned_at: rfc3339(planned),
  started_at: rfc3339(now),
  missed,
  attempt: 1,
});
