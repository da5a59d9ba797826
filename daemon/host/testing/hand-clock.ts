/** Time that stands still until the test moves it. */
import type { Clock } from "../../plugin-api/context.js";

interface Sleeper {
  readonly until: number;
  wake(): void;
}

export class HandClock implements Clock {
  #now = 1_700_000_000_000;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#now + milliseconds, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Wakes whoever slept until then, in order. */
  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = [...this.#sleepers].filter(({ until }) => until <= this.#now);
    for (const sleeper of due.sort((a, b) => a.until - b.until)) sleeper.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
