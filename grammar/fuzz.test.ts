/**
 * Damaged and hostile texts, read in a worker that is watched: reading always ends, and soon. Time is the processor's, so
 * that a busy machine changes nothing.
 */
import { on } from "node:events";
import { Worker } from "node:worker_threads";
import test from "ava";
import { within } from "../tests/support/eventually.js";
import { runs } from "../tests/support/runs.js";
import type { Progress } from "./testing/fuzz-worker.js";

/** Without a word for this long the reader hangs. */
const HANG = 120_000;

/** Reads all texts of a kind; fails if one of them takes for ever or throws. */
async function readAll(kind: "mutations" | "hostile", size: number): Promise<Progress> {
  const worker = new Worker(new URL("./testing/fuzz-worker.js", import.meta.url), {
    workerData: { kind, size },
  });
  const messages = on(worker, "message");
  let last: Progress = { done: 0, slowest: { text: "", milliseconds: 0 }, finished: false };
  try {
    while (!last.finished) {
      const { value } = await within("a word of the reader", messages.next(), HANG);
      last = value?.[0];
    }
    return last;
  } catch (cause) {
    throw new Error(`reading stopped after ${last.done} texts`, { cause });
  } finally {
    await worker.terminate();
  }
}

const count = runs(1_000, 20_000);

test(`${count} damaged texts are read without an exception, none for a second`, async (t) => {
  t.timeout(10 * HANG);
  const { done, slowest } = await readAll("mutations", count);
  t.is(done, count);
  t.true(slowest.milliseconds < 1000, JSON.stringify(slowest));
});

/** Bytes. */
const LENGTH = runs(32, 256) * 1024;
/** Milliseconds. Some tenths of a second are usual for the long ones; many seconds if time grew with the square of the length. */
const LIMIT = runs(2500, 5000);

test("hostile texts are read in a time that grows with their length", async (t) => {
  t.timeout(10 * HANG);
  const { done, slowest } = await readAll("hostile", LENGTH);
  t.true(done > 60);
  t.true(slowest.milliseconds < LIMIT, JSON.stringify(slowest));
});
