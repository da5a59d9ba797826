/** Counters of a hook over restarts and edits, and the durations of its latest runs. */
import type { RunResult } from "reeve/plugin";

const KEPT = 256;
/** Durations that outlive a restart. */
const RECORDED = 64;

interface LastRun {
  readonly at: number;
  readonly state: RunResult["state"];
}

const COUNTERS = ["calls", "rejected", "failures", "timeouts"] as const;
type Counts = Record<(typeof COUNTERS)[number], number>;

const zero = (): Counts => ({ calls: 0, rejected: 0, failures: 0, timeouts: 0 });

/** What is kept over restarts. Times are in milliseconds since the epoch. */
export interface StatisticsRecord extends Readonly<Counts> {
  readonly since: number;
  /** When it was written. */
  readonly at: number;
  readonly lastRun?: LastRun;
  readonly durations: readonly number[];
}

export class HookStatistics {
  /** Why the latest command did not start; cleared by one that does. */
  cannotStart: string | undefined;
  readonly #changed: () => void;
  /** As it was last read or written. */
  #record: StatisticsRecord | undefined;
  /** What the record does not include. */
  #own = zero();
  #since: number | undefined;
  #lastRun: LastRun | undefined;
  /** Durations of earlier starts. */
  #earlier: readonly number[] = [];
  readonly #durations: number[] = [];
  /** Sorted, until one is added: a full queue reads it for every refusal. */
  #sorted: readonly number[] | undefined;
  #next = 0;

  /** `changed` is called whenever the record is to be written. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  get calls(): number {
    return this.#total("calls");
  }

  get rejected(): number {
    return this.#total("rejected");
  }

  get failures(): number {
    return this.#total("failures");
  }

  /** Of the failures. */
  get timeouts(): number {
    return this.#total("timeouts");
  }

  /** When counting began; `undefined` before the first run or refusal. */
  get since(): number | undefined {
    return this.#record?.since ?? this.#since;
  }

  get lastRun(): LastRun | undefined {
    return latest(this.#lastRun, this.#record?.lastRun);
  }

  count(counter: keyof Counts, now: number): void {
    this.#own[counter] += 1;
    this.#since ??= now;
    this.#changed();
  }

  ended(lastRun: LastRun): void {
    this.#lastRun = lastRun;
    this.#changed();
  }

  /** Milliseconds. */
  took(duration: number): void {
    this.#durations[this.#next] = duration;
    this.#next = (this.#next + 1) % KEPT;
    this.#sorted = undefined;
  }

  /** Of the latest runs, in milliseconds; `undefined` before the first. */
  percentile(share: number): number | undefined {
    this.#sorted ??= this.#latest(KEPT).toSorted((a, b) => a - b);
    const sorted = this.#sorted;
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  }

  /** The stored record as it is now: another instance of the plugin may have written meanwhile. */
  restore(stored: StatisticsRecord): void {
    this.#record = stored;
    if (this.#durations.length === 0) this.#earlier = stored.durations;
    this.#sorted = undefined;
  }

  /** Adds its own part to the stored record. `undo`: the result cannot be stored. */
  merge(
    stored: StatisticsRecord | undefined,
    now: number,
  ): { readonly record: StatisticsRecord; readonly undo: () => void } {
    const own = this.#own;
    this.#own = zero();
    const lastRun = latest(this.#lastRun, stored?.lastRun);
    const record: StatisticsRecord = {
      since: stored?.since ?? this.#since ?? now,
      at: now,
      ...added(stored ?? zero(), own),
      ...(lastRun && { lastRun }),
      durations: this.#latest(RECORDED).map(Math.round),
    };
    const before = this.#record;
    this.#record = record;
    return {
      record,
      undo: () => {
        this.#record = before;
        this.#own = added(this.#own, own);
      },
    };
  }

  #total(counter: keyof Counts): number {
    return (this.#record?.[counter] ?? 0) + this.#own[counter];
  }

  #latest(count: number): readonly number[] {
    const own = [...this.#durations.slice(this.#next), ...this.#durations.slice(0, this.#next)];
    return [...this.#earlier, ...own].slice(-count);
  }
}

const added = (one: Readonly<Counts>, other: Readonly<Counts>): Counts =>
  Object.fromEntries(COUNTERS.map((name) => [name, one[name] + other[name]])) as Counts;

const latest = (one: LastRun | undefined, other: LastRun | undefined): LastRun | undefined =>
  one && other ? (one.at >= other.at ? one : other) : (one ?? other);
