/** What a hook has been up to since its plugin started: counters, and the durations of its latest runs. */
import type { RunResult } from "reeve/plugin";

const KEPT = 256;

export class HookStatistics {
  calls = 0;
  rejected = 0;
  failures = 0;
  /** Of the failures. */
  timeouts = 0;
  lastRun: { readonly at: number; readonly state: RunResult["state"] } | undefined;
  /** Why the latest command could not even be started; cleared by one that could. */
  cannotStart: string | undefined;
  readonly #durations: number[] = [];
  /** The same in order, until one is added: a full queue asks for each request that it refuses. */
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
