/** How late the event loop is, over the last ten to twenty seconds. Costs one timer. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ProcessStatus } from "./api.js";

/** Milliseconds between two looks. */
const RESOLUTION = 50;
const WINDOW = 10_000;

export class LoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  readonly #timer: NodeJS.Timeout;
  #before: ProcessStatus["loopLag"] | undefined;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#before = this.#read();
      this.#histogram.reset();
    }, WINDOW);
    this.#timer.unref();
  }

  now(): ProcessStatus["loopLag"] {
    const now = this.#read();
    const before = this.#before ?? now;
    return { median: now.median, max: Math.max(now.max, before.max) };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #read(): ProcessStatus["loopLag"] {
    if (this.#histogram.count === 0) return { median: 0, max: 0 };
    return { median: late(this.#histogram.percentile(50)), max: late(this.#histogram.max) };
  }
}

/** What is measured is the time between two looks; a tenth of a millisecond is as fine as it gets. */
const late = (nanoseconds: number): number =>
  Math.max(0, Math.round(nanoseconds / 1e5 - RESOLUTION * 10) / 10);
