/** Time that passes when a test says so. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../plugin-api/context.js";

/** Event-loop turns for woken timers before time advances again. */
const TURNS = 5;

/** For plugins that run inline: elsewhere time is the platform's own. */
export class FakeClock implements Clock {
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  #now: number;

  /** `start` in milliseconds since the epoch. @default the beginning of 2026 */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until: this.#now + milliseconds, wake: resolve };
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

  /** Lets time pass. Sleepers wake at their own moment, one after the other, and may go to sleep again within it. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turns();
    for (;;) {
      const next = Math.min(...[...this.#sleepers].map(({ until }) => until));
      if (next > end) break;
      this.#now = Math.max(this.#now, next);
      for (const { until, wake } of this.#sleepers) if (until <= this.#now) wake();
      await turns();
    }
    this.#now = end;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}
