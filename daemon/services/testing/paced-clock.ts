/** Time for tests that do real work in real time: a busy machine does not make it run out. */
import type { Clock } from "../../plugin-api/context.js";
import { Sleepers } from "../sleepers.js";

/** Milliseconds. */
const TICK = 5;

/**
 * Passes by a step for each turn of this process's timers, so that a moment in which the process does not run counts as one step
 * however long it is: what happens within a time, and the time, are late together.
 */
class PacedClock implements Clock {
  readonly #sleepers = new Sleepers();
  readonly #timer = setInterval(() => this.#tick(), TICK).unref();
  #now = Date.now();

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const sleeping = this.#sleepers.sleep(this.#now + milliseconds, signal);
    // As with the real clock, a process that sleeps does not end.
    this.#timer.ref();
    try {
      await sleeping;
    } finally {
      if (this.#sleepers.size === 0) this.#timer.unref();
    }
  }

  #tick(): void {
    this.#now += TICK;
    this.#sleepers.wake(this.#now);
  }
}

export const pacedClock = new PacedClock();
