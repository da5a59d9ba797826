/** Watches a worker that tries inputs, and reports its findings and hangs. */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { within } from "../../../../tests/support/eventually.js";
import type { FuzzOrder, FuzzProgress } from "./worker.js";

/** Without a report for this long an input hangs: some hundred inputs take a fraction of a second. */
const hangMs = 120_000;
const HANGS = "a report of the thread";

/** Tries the inputs. Resolves with the worker's last report; a hang counts as a finding. */
export async function fuzz(order: FuzzOrder): Promise<FuzzProgress> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order });
  const reports = on(worker, "message");
  let last: FuzzProgress = { at: order.from, found: [], statuses: [], finished: false };
  try {
    do {
      const { value } = await within(HANGS, reports.next(), hangMs);
      last = (value as [FuzzProgress])[0];
    } while (!last.finished);
    return last;
  } catch (thrown) {
    const what = String(thrown).includes(HANGS)
      ? "this input or one of the next 500 never ends"
      : `the thread ended: ${String(thrown)}`;
    return { ...last, found: [...last.found, { input: last.at, what }] };
  } finally {
    await reports.return?.();
    await worker.terminate();
  }
}
