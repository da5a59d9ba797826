/** Cancels a run. Thousands may wait, so the signal is created on first use. */
import type { Slot } from "./concurrency-queue.js";

export class Cancellation {
  readonly #slot: Slot;
  #aborted = false;
  #reason: string | undefined;
  #controller: AbortController | undefined;

  /** Cancelling also gives up `slot` if the run still waits. */
  constructor(slot: Slot) {
    this.#slot = slot;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** Set when a user cancels; absent when the daemon stops. */
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
