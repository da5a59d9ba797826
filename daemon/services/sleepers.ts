/** What sleeps until a moment, for clocks whose time a program moves. */

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Moments in milliseconds of the clock. */
export class Sleepers {
  readonly #sleepers = new Set<Sleeper>();

  get size(): number {
    return this.#sleepers.size;
  }

  /** When the next one wakes; `Infinity` where there is none. */
  get next(): number {
    return Math.min(...[...this.#sleepers].map(({ until }) => until));
  }

  /** Resolves at the moment. @throws the signal's reason when that aborts */
  async sleep(until: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until, wake: resolve };
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#sleepers.add(sleeper);
    try {
      await promise;
    } finally {
      this.#sleepers.delete(sleeper);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Wakes all that are due, those of the earliest moments first. */
  wake(now: number): void {
    const due = [...this.#sleepers].filter(({ until }) => until <= now);
    for (const { wake } of due.sort((a, b) => a.until - b.until)) wake();
  }
}
