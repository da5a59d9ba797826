/** Signals the start of draining, after which waiting runs are left to the next daemon. */

/**
 * Thousands of runs may listen. An `AbortSignal` alone is too slow: it searches all of its listeners
 * for each one that is added or removed.
 */
export class DrainSignal {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<() => void>();

  /** Aborted when draining starts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    this.#controller.abort();
    for (const leave of this.#listeners) leave();
    this.#listeners.clear();
  }

  /** Calls `leave` when draining starts, or at once. Returns a function that unsubscribes. */
  onDrain(leave: () => void): () => void {
    if (this.#controller.signal.aborted) {
      leave();
      return () => undefined;
    }
    this.#listeners.add(leave);
    return () => this.#listeners.delete(leave);
  }
}
