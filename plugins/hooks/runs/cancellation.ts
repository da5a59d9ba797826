/** Whether a run is to end before its time. Thousands may wait, so each has a signal only once somebody listens to it. */
import type { Slot } from "./concurrency-queue.js";

export class Cancellation {
  readonly #slot: Slot;
  #aborted = false;
  #reason: string | undefined;
  #controller: AbortController | undefined;

  /** `place` is left as well, if the run still waits for its turn. */
  constructor(slot: Slot) {
    this.#slot = slot;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** In one sentence, where it was a person; otherwise the daemon stops. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  abort(reason?: string): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#slot.cancel();
  }
}
