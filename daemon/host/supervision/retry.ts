/** One delayed task that can be cancelled. */
import type { Clock } from "../../plugin-api/context.js";

export class Retry {
  readonly #clock: Clock;
  #waiting: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `work` must not reject. Replaces the task that waits. */
  after(milliseconds: number, work: () => Promise<void>): void {
    this.cancel();
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#clock.sleep(milliseconds, waiting.signal).then(
      () => {
        if (this.#waiting === waiting) this.#waiting = undefined;
        return work();
      },
      () => undefined,
    );
  }

  get pending(): boolean {
    return this.#waiting !== undefined;
  }

  cancel(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }
}
