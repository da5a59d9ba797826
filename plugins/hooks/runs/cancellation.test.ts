import test from "ava";
import { Cancellation } from "./cancellation.js";
import type { Slot } from "./concurrency-queue.js";

function cancellation() {
  let cancelled = 0;
  const slot: Slot = {
    turn: Promise.resolve("go"),
    waited: true,
    leave: () => undefined,
    cancel: () => {
      cancelled += 1;
    },
  };
  return { cancel: new Cancellation(slot), cancelled: () => cancelled };
}

test("the first reason counts, and the slot is given up once", (t) => {
  const { cancel, cancelled } = cancellation();
  const { signal } = cancel;
  t.false(cancel.aborted);
  t.false(signal.aborted);
  t.is(cancel.reason, undefined);
  cancel.abort("Ada cancelled it.");
  cancel.abort("Bob cancelled it.");
  t.true(cancel.aborted);
  t.is(cancel.reason, "Ada cancelled it.");
  t.true(signal.aborted);
  t.is(signal.reason, "Ada cancelled it.");
  t.is(cancel.signal, signal);
  t.is(cancelled(), 1);
});

test("a signal that is asked for afterwards has fired", (t) => {
  const { cancel } = cancellation();
  cancel.abort("Ada cancelled it.");
  t.true(cancel.signal.aborted);
  t.is(cancel.signal.reason, "Ada cancelled it.");
});

test("a daemon that stops gives no reason", (t) => {
  const { cancel, cancelled } = cancellation();
  cancel.abort();
  t.true(cancel.aborted);
  t.is(cancel.reason, undefined);
  t.is(cancelled(), 1);
  cancel.abort("Ada cancelled it.");
  t.is(cancel.reason, undefined);
});
