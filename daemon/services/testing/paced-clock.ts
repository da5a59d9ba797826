/** Time for tests that do real work in real time: a busy machine does not make it run out. */
import type { Clock } from "../../plugin-api/context.js";

/** Milliseconds. */
const TICK = 5;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * Passes by a step for each turn of this process's timers, so that a moment in which the process does not run counts as one step
 * however long it is: what happens within a time, and the time, are late together.
 */
class PacedClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  readonly #timer = setInterval(() => this.#tick(), TICK).unref();
  #now = Date.now();

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until: this.#now + milliseconds, wake: resolve };
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#sleepers.add(sleeper);
    // As with the real clock, a process that sleeps does not end.
    this.#timer.ref();
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#sleepers.delete(sleeper);
      if (this.#sleepers.size === 0) this.#timer.unref();
    }
  }

  #tick(): void {
    this.#now += TICK;
    for (const { until, wake } of this.#sleepers) if (until <= this.#now) wake();
  }
}

export const pacedClock = new PacedClock();
