/** Time that passes when the test says so. */
import type { Clock } from "../../plugin-api/context.js";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export class ManualClock implements Clock {
  #now = 1_000_000;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  /** When the next sleeper wakes. */
  get next(): number {
    return Math.min(...[...this.#sleepers].map(({ until }) => until));
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = {
        until: this.#now + milliseconds,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
  }
}
