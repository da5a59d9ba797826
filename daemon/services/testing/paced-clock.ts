/** Time for tests that do real work in real time: a busy machine does not make it run out. */
import { FakeClock } from "../fake-clock.js";

/** Milliseconds. */
const TICK = 5;

/**
 * Passes by a step for each turn of this process's timers, so that a moment in which the process does not run counts as one step
 * however long it is: what happens within a time, and the time, are late together.
 */
class PacedClock extends FakeClock {
  readonly #timer = setInterval(() => this.pass(TICK), TICK).unref();
  #sleepers = 0;

  /** As with the real clock, a process that sleeps does not end. */
  override async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.#sleepers += 1;
    this.#timer.ref();
    try {
      await super.sleep(milliseconds, signal);
    } finally {
      this.#sleepers -= 1;
      if (this.#sleepers === 0) this.#timer.unref();
    }
  }
}

export const pacedClock = new PacedClock(Date.now());
