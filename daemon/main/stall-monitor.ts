/** Notices that the event loop did not run: nothing was served meanwhile. */
import type { Log, Metrics } from "../plugin-api/context.js";

export interface StallMonitorOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Milliseconds between two looks. @default 500 */
  readonly interval?: number;
  /** Milliseconds that the loop may be late without a word. @default 2000 */
  readonly threshold?: number;
}

/**
 * Logs each stall when it is over, with its duration and the processor time that the thread used in it: much means that code ran, little that
 * it waited for a file, was stopped or that the machine had no time. systemd's watchdog ends a stall that lasts. Returns the way to stop it.
 */
export function monitorStalls(options: StallMonitorOptions): () => void {
  const { log, metrics, interval = 500, threshold = 2_000 } = options;
  const blocked = metrics.counter(
    "event_loop_blocked_seconds_total",
    "Time in which the event loop did not run, of stalls longer than two seconds.",
  );
  let looked = performance.now();
  let used = processorTime();
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - looked - interval;
    const usedNow = processorTime();
    if (late >= threshold) {
      blocked.add(late / 1000);
      const processor = usedNow - used;
      const fields = { milliseconds: Math.round(late), processor: Math.round(processor) };
      if (processor >= late / 4) {
        log.warn("The event loop was blocked: nothing was served meanwhile", fields);
      } else log.info("The event loop did not run: the process was stopped or waited", fields);
    }
    looked = now;
    used = usedNow;
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

/** Milliseconds of the present thread. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
