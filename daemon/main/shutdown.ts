/** Shutdown of a daemon: the first request drains, the second stops at once. */

/** Of a timer, in milliseconds: almost 25 days. */
const LONGEST = 2 ** 31 - 1;

export class Shutdown {
  readonly #requested = Promise.withResolvers<void>();
  readonly #cut = new AbortController();
  #code: number | undefined;

  /** Resolves when shutdown is requested. */
  get requested(): Promise<void> {
    return this.#requested.promise;
  }
  get isRequested(): boolean {
    return this.#code !== undefined;
  }
  /** Aborted when waiting is over. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }
  /** The exit code. */
  get code(): number {
    return this.#code ?? 0;
  }

  /** Asks for the end; a second time, for the immediate one, with `hurried` as exit code. */
  request(exitCode: number): void {
    if (this.#code !== undefined) {
      this.#code ||= exitCode;
      this.#cut.abort();
      return;
    }
    this.#code = 0;
    this.#requested.resolve();
  }

  /** Something is broken: ends at once. */
  fail(code: number): void {
    this.#code = code;
    this.#cut.abort();
    this.#requested.resolve();
  }

  /** Aborts what still runs after `milliseconds`. Returns a function that cancels this. */
  cutAfter(milliseconds: number): () => void {
    const timer = setTimeout(() => this.#cut.abort(), Math.min(milliseconds, LONGEST));
    return () => clearTimeout(timer);
  }

  /** Aborts at once. */
  cutNow(): void {
    this.#cut.abort();
  }
}
