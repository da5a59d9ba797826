/** Counters of a hook since its plugin started, and the durations of its latest runs. */
import type { RunResult } from "reeve/plugin";

const KEPT = 256;

export class HookStatistics {
  calls = 0;
  rejected = 0;
  failures = 0;
  /** Of the failures. */
  timeouts = 0;
  lastRun: { readonly at: number; readonly state: RunResult["state"] } | undefined;
  /** Why the latest command did not start; cleared by one that does. */
  cannotStart: string | undefined;
  readonly #durations: number[] = [];
  /** Sorted, until one is added: a full queue reads it for every refusal. */
  #sorted: readonly number[] | undefined;
  #next = 0;

  /** Milliseconds. */
  took(duration: number): void {
    this.#durations[this.#next] = duration;
    this.#next = (this.#next + 1) % KEPT;
    this.#sorted = undefined;
  }

  /** Of the latest runs, in milliseconds; `undefined` before the first. */
  percentile(share: number): number | undefined {
    this.#sorted ??= this.#durations.toSorted((a, b) => a - b);
    const sorted = this.#sorted;
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  }
}
