import test from "ava";
import { Shutdown } from "./shutdown.js";

test("asked once, an end is quiet; asked twice, it is hurried", async (t) => {
  const ending = new Shutdown();
  t.false(ending.isAsked);
  ending.ask(143);
  await ending.asked;
  t.deepEqual([ending.isAsked, ending.code, ending.cut.aborted], [true, 0, false]);
  ending.ask(130);
  t.deepEqual([ending.code, ending.cut.aborted], [130, true]);
});

test("a fault ends everything at once, and no signal makes it look better", async (t) => {
  const ending = new Shutdown();
  ending.fail(70);
  await ending.asked;
  ending.ask(143);
  t.deepEqual([ending.code, ending.cut.aborted], [70, true]);
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
