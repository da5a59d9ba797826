/** The moment from which what waits is left to whoever comes next. */

/**
 * Thousands may wait, and each of them has to be told. A signal alone would not do: it looks through all of its listeners
 * for each one that is added or taken away.
 */
export class DrainSignal {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<() => void>();

  /** Aborted from then on. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    this.#controller.abort();
    for (const leave of this.#listeners) leave();
    this.#listeners.clear();
  }

  /** Calls `leave` when it begins, or now where it has begun. What is given takes that back. */
  onDrain(leave: () => void): () => void {
    if (this.#controller.signal.aborted) {
      leave();
      return () => undefined;
    }
    this.#listeners.add(leave);
    return () => this.#listeners.delete(leave);
  }
}
