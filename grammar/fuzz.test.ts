/** Damaged and hostile texts, read in a worker that is watched: reading always ends, and soon. */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import test from "ava";
import type { Progress } from "./testing/fuzz-worker.js";

/** A single text is read in milliseconds; only a reader that hangs needs as long as this, on the slowest machine. */
const HANG = 20_000;

/** Reads all texts of a kind; fails with the number of the text if one of them takes for ever or throws. */
async function readAll(kind: "mutations" | "hostile"): Promise<Progress> {
  const worker = new Worker(new URL("./testing/fuzz-worker.js", import.meta.url), {
    workerData: { kind },
  });
  const watchdog = new AbortController();
  let last: Progress = { done: 0, text: "(the first)", finished: false };
  let alarm = setTimeout(() => watchdog.abort(), HANG);
  try {
    for await (const [progress] of on(worker, "message", { signal: watchdog.signal })) {
      clearTimeout(alarm);
      last = progress;
      if (last.finished) return last;
      alarm = setTimeout(() => watchdog.abort(), HANG);
    }
    return last;
  } catch (cause) {
    throw new Error(`reading stopped at or behind: ${last.text}`, { cause });
  } finally {
    clearTimeout(alarm);
    await worker.terminate();
  }
}

test("20,000 damaged texts are read without an exception and without a pause", async (t) => {
  t.timeout(600_000);
  const { done } = await readAll("mutations");
  t.is(done, 20_000);
});

test("hostile texts of 1 MiB are read in a time that grows with their length", async (t) => {
  t.timeout(600_000);
  const { done } = await readAll("hostile");
  t.true(done > 60);
});
