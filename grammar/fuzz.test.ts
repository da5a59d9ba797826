/**
 * Damaged and hostile texts, read in a worker that is watched: reading always ends, and soon. Time is the processor's, so
 * that a busy machine changes nothing.
 */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import test from "ava";
import type { Progress } from "./testing/fuzz-worker.js";

/** Without a word for this long the reader hangs. */
const HANG = 120_000;

/** Reads all texts of a kind; fails if one of them takes for ever or throws. */
async function readAll(kind: "mutations" | "hostile"): Promise<Progress> {
  const worker = new Worker(new URL("./testing/fuzz-worker.js", import.meta.url), {
    workerData: { kind },
  });
  const watchdog = new AbortController();
  let last: Progress = { done: 0, slowest: { text: "", milliseconds: 0 }, finished: false };
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
    throw new Error(`reading stopped after ${last.done} texts`, { cause });
  } finally {
    clearTimeout(alarm);
    await worker.terminate();
  }
}

test("20,000 damaged texts are read without an exception, none for a second", async (t) => {
  t.timeout(10 * HANG);
  const { done, slowest } = await readAll("mutations");
  t.is(done, 20_000);
  t.true(slowest.milliseconds < 1000, JSON.stringify(slowest));
});

// Some tenths of a second are usual; tens of seconds if time grew with the square of the length.
test("hostile texts are read in a time that grows with their length", async (t) => {
  t.timeout(10 * HANG);
  const { done, slowest } = await readAll("hostile");
  t.true(done > 60);
  t.true(slowest.milliseconds < 3000, JSON.stringify(slowest));
});
