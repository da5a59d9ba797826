/**
 * Loaded into a daemon by `--import`: at the first SIGUSR2 it begins to measure the delay of the event loop, at the next it
 * writes the result to `REEVE_BENCH_DELAY` and begins again.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export interface LoopDelay {
  /** Milliseconds. */
  readonly p99: number;
  readonly max: number;
}

const path = process.env.REEVE_BENCH_DELAY;
if (isMainThread && path !== undefined && process.argv[2] === "up") {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  process.on("SIGUSR2", () => {
    const measured: LoopDelay = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
    writeFileSync(`${path}.new`, JSON.stringify(measured));
    renameSync(`${path}.new`, path);
    delay.reset();
    delay.enable();
  });
}
