/** Watches a thread that tries inputs: says what it found, and where it hangs. */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { FuzzOrder, FuzzProgress } from "./worker.js";

/** Some hundred inputs take a fraction of a second; without a word for this long one of them hangs. */
const hangMs = 120_000;

/** Tries the inputs. Resolves with what the thread said last; a hang is one of the things found. */
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
