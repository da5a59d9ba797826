/** Time that passes when a test says so. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../plugin-api/context.js";

export class HandClock implements Clock {
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #start = Date.now();
  #passed = 0;

  /** Milliseconds since it was made. */
  get passed(): number {
    return this.#passed;
  }

  now(): number {
    return this.#start + this.#passed;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until: this.#passed + milliseconds, wake: resolve };
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#sleepers.add(sleeper);
    await promise.finally(() => {
      this.#sleepers.delete(sleeper);
      signal?.removeEventListener("abort", abort);
    });
  }

  /** Lets time pass, a step at a time, until the promise has settled. */
  async until(promise: Promise<unknown>, step = 100): Promise<void> {
    let waiting = true;
    const stop = (): void => {
      waiting = false;
    };
    promise.then(stop, stop);
    while (waiting) {
      this.#passed += step;
      for (const { until, wake } of this.#sleepers) if (until <= this.#passed) wake();
      await setImmediate();
    }
  }
}
