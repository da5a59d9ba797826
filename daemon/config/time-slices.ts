/** Divides a long computation, so that the event loop serves requests between its parts. */
import { setImmediate } from "node:timers/promises";

/** Milliseconds that one part may take. */
const SLICE = 4;

export class TimeSlices {
  #began = performance.now();

  /** Whether to call `next` before more work. A separate call: most steps need not wait for a promise. */
  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE;
  }

  /** Resolves after the event loop has served what waited. */
  async next(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
