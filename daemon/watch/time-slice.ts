/** Blocking work in slices, so that everything else that waits has its turn between them. */
import { setImmediate } from "node:timers/promises";

/** Milliseconds of work between two breaths. */
const SLICE = 1;

export class TimeSlice {
  readonly #yieldTurn: () => Promise<unknown>;
  #since = performance.now();

  constructor(yieldTurn: () => Promise<unknown> = setImmediate) {
    this.#yieldTurn = yieldTurn;
  }

  /** Whether it is time for a breath. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE;
  }

  async yieldToLoop(): Promise<void> {
    await this.#yieldTurn();
    this.#since = performance.now();
  }

  /** Takes a breath if it is time. */
  async step(): Promise<void> {
    if (this.isOver) await this.yieldToLoop();
  }
}
