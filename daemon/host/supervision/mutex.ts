/** Runs one task at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves with a function that releases the lock; calling it again has no effect. Also resolves when `signal`
   * aborts: shutdown does not wait for the lock.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await (signal ? Promise.race([before, fired(signal)]) : before);
    return resolve;
  }

  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
