/** Watches a worker that tries inputs, and reports its findings and hangs. */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { FuzzOrder, FuzzProgress } from "./worker.js";

/** Without a report for this long an input hangs: some hundred inputs take a fraction of a second. */
const hangMs = 120_000;

/** Tries the inputs. Resolves with the worker's last report; a hang counts as a finding. */
export async function fuzz(order: FuzzOrder): Promise<FuzzProgress> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order });
  const watchdog = new AbortController();
  let last: FuzzProgress = { at: order.from, found: [], statuses: [], finished: false };
  let alarm = setTimeout(() => watchdog.abort(), hangMs);
  try {
    for await (const [progress] of on(worker, "message", { signal: watchdog.signal })) {
      clearTimeout(alarm);
      last = progress as FuzzProgress;
      if (last.finished) return last;
      alarm = setTimeout(() => watchdog.abort(), hangMs);
    }
    return last;
  } catch (thrown) {
    const what = watchdog.signal.aborted
      ? "this input or one of the next 500 never ends"
      : `the thread ended: ${String(thrown)}`;
    return { ...last, found: [...last.found, { input: last.at, what }] };
  } finally {
    clearTimeout(alarm);
    await worker.terminate();
  }
}
