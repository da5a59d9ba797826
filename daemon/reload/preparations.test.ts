/** When plugins prepare, and when an attempt is ended for a newer edit. */
import test from "ava";
import type { Plan, Program } from "../config/program.js";
import type { PluginHost, PrepareOutcome } from "../host/contract.js";
import { FakeClock } from "../services/fake-clock.js";
import { Preparations } from "./preparations.js";

const GRACE = 500;

function preparing() {
  const clock = new FakeClock();
  const ending = new AbortController();
  const aborted: string[] = [];
  const numbers: number[] = [];
  let signal: AbortSignal | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<PrepareOutcome>();
  const host = {
    prepare: (_program: Program, _changes: Plan, number: number, given: AbortSignal) => {
      numbers.push(number);
      signal = given;
      return promise;
    },
  } as unknown as PluginHost;
  const prepared = {
    commit: () => undefined,
    abort: async () => void aborted.push("abort"),
    release: async () => undefined,
  };
  const preparations = new Preparations(host, clock, ending.signal, GRACE);
  const outcome = preparations.prepare({} as Program, {} as Plan, 7);
  const done = { ok: true, prepared, diagnostics: [] } as unknown as PrepareOutcome;
  return {
    ...{ clock, ending, aborted, numbers, resolve, reject, preparations, outcome, done },
    isAborted: () => signal?.aborted,
  };
}

test("what the host prepares is the outcome", async (t) => {
  const { outcome, resolve, done, numbers, aborted } = preparing();
  resolve(done);
  t.is(await outcome, done);
  t.deepEqual(numbers, [7]);
  t.deepEqual(aborted, []);
});

test("a host that fails refuses the attempt", async (t) => {
  const { outcome, reject } = preparing();
  reject(new Error("broken"));
  t.deepEqual(await outcome, { ok: false, reason: "broken", diagnostics: [] });
});

test("plugins that prepare longer than the grace period end for a newer edit", async (t) => {
  const { outcome, preparations, clock, isAborted, resolve, done, aborted } = preparing();
  preparations.endWhile(() => true);
  await clock.advance(GRACE - 1);
  t.false(isAborted());
  await clock.advance(1);
  t.true(isAborted());
  resolve(done);
  t.deepEqual(await outcome, {
    ok: false,
    reason: "a newer edit replaces it",
    diagnostics: [],
  });
  t.deepEqual(aborted, ["abort"]);
});

test("without an edit that waits nothing ends, nor once it waits no more", async (t) => {
  const { preparations, clock, isAborted } = preparing();
  preparations.endWhile(() => false);
  await clock.advance(GRACE * 3);
  t.false(isAborted());
  let waits = true;
  preparations.endWhile(() => waits);
  await clock.advance(GRACE - 1);
  waits = false;
  await clock.advance(GRACE * 3);
  t.false(isAborted());
});

test("each attempt has the whole grace period", async (t) => {
  const { preparations, clock, resolve, done, outcome, isAborted } = preparing();
  preparations.endWhile(() => true);
  await clock.advance(GRACE - 1);
  resolve(done);
  t.is(await outcome, done);
  void preparations.prepare({} as Program, {} as Plan, 8);
  await clock.advance(1);
  t.false(isAborted());
});

test("when the daemon ends, so does the attempt", async (t) => {
  const { outcome, ending, resolve, done, isAborted, aborted } = preparing();
  ending.abort();
  t.true(isAborted());
  resolve(done);
  t.deepEqual(await outcome, { ok: false, reason: "the daemon ends", diagnostics: [] });
  t.deepEqual(aborted, ["abort"]);
});
