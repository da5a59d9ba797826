/** One thing at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves with the way to let go, which may be called more than once. When `signal` fires first it resolves, too:
   * whoever is in a hurry goes on regardless.
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
