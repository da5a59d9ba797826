/** Time that passes when a test says so. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../plugin-api/context.js";

/** Event-loop turns for woken timers before time advances again. */
const TURNS = 5;

/** In a test of a plugin it works where the plugin runs inline: elsewhere time is the platform's own. */
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

  /** When the next sleeper wakes; `Infinity` where there is none. */
  get next(): number {
    return Math.min(...[...this.#sleepers].map(({ until }) => until));
  }

  /** Moves time at once: every sleeper that is due wakes, those first that wait the shortest. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#sleepers].filter(({ until }) => until <= this.#now);
    for (const { wake } of due.sort((a, b) => a.until - b.until)) wake();
  }

  /** Lets time pass, a step at a time, until the promise has settled. */
  async until(promise: Promise<unknown>, step = 100): Promise<void> {
    let waiting = true;
    const stop = (): void => {
      waiting = false;
    };
    promise.then(stop, stop);
    while (waiting) await this.advance(step);
  }

  /** Lets time pass. Sleepers wake at their own moment, one after the other, and may go to sleep again within it. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turns();
    for (;;) {
      const { next } = this;
      if (next > end) break;
      this.pass(Math.max(0, next - this.#now));
      await turns();
    }
    this.#now = end;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}
