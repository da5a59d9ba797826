import test from "ava";
import { within } from "../../../tests/support/eventually.js";
import { OwnThread } from "./own-thread.js";
import type { Perform } from "./serve.js";

/** Doubles a number, after so many milliseconds; ends its thread at -1. */
function makePerform(): Perform {
  return ([number, milliseconds]) => {
    if (number === -1n) throw new Error("a bug");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds));
    return Number(number) * 2;
  };
}

test("a thousand calls at once have their own answers, in their order", async (t) => {
  const thread = new OwnThread("test", makePerform);
  const order: number[] = [];
  const calls = Array.from({ length: 1000 }, async (_, index) => {
    const answer = await thread.call(BigInt(index), 0n);
    order.push(index);
    return answer;
  });
  t.deepEqual(
    await within("the answers", Promise.all(calls)),
    calls.map((_, index) => index * 2),
  );
  t.deepEqual(
    order,
    calls.map((_, index) => index),
  );
});

test("each call is carried out once, however the threads take turns", async (t) => {
  const thread = new OwnThread("test", () => {
    let count = 0;
    return () => count++;
  });
  const answers: number[] = [];
  for (let round = 0; round < 5000; round += 1) {
    answers.push(...(await Promise.all([thread.call(1n), thread.call(2n)])));
  }
  t.deepEqual(
    answers,
    answers.map((_, index) => index),
  );
});

test("a call that waits holds up nothing else in the process", async (t) => {
  const thread = new OwnThread("test", makePerform);
  let isDone = false;
  const slow = thread.call(4n, 300n).then((answer) => {
    isDone = true;
    return answer;
  });
  await new Promise((go) => setImmediate(go));
  t.false(isDone);
  t.is(await within("the answer", slow), 8);
});

test("when the thread dies its calls fail, and the next call has another thread", async (t) => {
  const thread = new OwnThread("test", makePerform);
  const [good, fatal, behind] = await within(
    "three ends",
    Promise.allSettled([thread.call(1n, 0n), thread.call(-1n, 0n), thread.call(2n, 0n)]),
  );
  t.deepEqual([good?.status, fatal?.status, behind?.status], ["fulfilled", "rejected", "rejected"]);
  t.is(await within("the next answer", thread.call(3n, 0n)), 6);
});
