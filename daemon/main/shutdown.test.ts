import test from "ava";
import { Shutdown } from "./shutdown.js";

test("asked once, an end is quiet; asked twice, it is hurried", async (t) => {
  const shutdown = new Shutdown();
  t.false(shutdown.isRequested);
  shutdown.request(143);
  await shutdown.requested;
  t.deepEqual([shutdown.isRequested, shutdown.code, shutdown.cut.aborted], [true, 0, false]);
  shutdown.request(130);
  t.deepEqual([shutdown.code, shutdown.cut.aborted], [130, true]);
});

test("a fault ends everything at once, and no signal makes it look better", async (t) => {
  const shutdown = new Shutdown();
  shutdown.fail(70);
  await shutdown.requested;
  shutdown.request(143);
  t.deepEqual([shutdown.code, shutdown.cut.aborted], [70, true]);
});

test("patience has an end, unless it is not needed any more", async (t) => {
  const patient = new Shutdown();
  const forget = patient.cutAfter(1);
  const impatient = new Shutdown();
  impatient.cutAfter(1);
  forget();
  await new Promise((resolve) => impatient.cut.addEventListener("abort", resolve));
  t.false(patient.cut.aborted);
});
