/** One thing at a time, in the order of asking. */
export class Lock {
  #last: Promise<void> = Promise.resolve();

  /** Resolves with the way to let go, which may be called more than once. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
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
