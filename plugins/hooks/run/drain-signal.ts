/** The moment from which what waits is left to whoever comes next. */

/**
 * Thousands may wait, and each of them has to be told. A signal alone would not do: it looks through all of its listeners
 * for each one that is added or taken away.
 */
export class DrainSignal {
  readonly #begun = new AbortController();
  readonly #told = new Set<() => void>();

  /** Aborted from then on. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  begin(): void {
    this.#begun.abort();
    for (const leave of this.#told) leave();
    this.#told.clear();
  }

  /** Calls `leave` when it begins, or now where it has begun. What is given takes that back. */
  tell(leave: () => void): () => void {
    if (this.#begun.signal.aborted) {
      leave();
      return () => undefined;
    }
    this.#told.add(leave);
    return () => this.#told.delete(leave);
  }
}
