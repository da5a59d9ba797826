/** A delivery that is repeated within its time gives the first run. */
import test, { type ExecutionContext } from "ava";
import type { Fields, PluginContext } from "reeve/plugin";
import { Deliveries } from "./deliveries.js";

const WITHIN = 1000;

function deliveries(t: ExecutionContext) {
  let now = 10_500;
  const stored = new Map<string, { run: string; at: number }>();
  const states = new Map<string, string>();
  const warnings: string[] = [];
  let isBroken = false;
  const map = {
    get: async (key: string) => {
      if (isBroken) throw new Error("the disk is full");
      return stored.get(key);
    },
    set: async (key: string, value: { run: string; at: number }) => {
      if (isBroken) throw new Error("the disk is full");
      stored.set(key, value);
    },
    delete: async (key: string) => stored.delete(key),
    entries: async ({ prefix, limit }: { prefix: string; limit: number }) =>
      [...stored]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit),
  };
  const context = {
    clock: { now: () => now },
    store: { map: () => map },
    runs: {
      get: async (id: string) => {
        const state = states.get(id);
        return state === undefined ? undefined : { state };
      },
    },
    log: { warn: (_message: string, { run }: Fields) => warnings.push(String(run)) },
  } as unknown as PluginContext;
  const found = new Deliveries(context);
  const keep = async (key: string, run: string, hook = "hook.a") => {
    const claim = await found.claim(hook, key, WITHIN);
    if ("repeated" in claim) return t.fail(`${key} is repeated`);
    await claim.keep(run);
  };
  const repeated = async (key: string, hook = "hook.a") => {
    const claim = await found.claim(hook, key, WITHIN);
    if ("repeated" in claim) return claim.repeated;
    claim.release();
    return undefined;
  };
  return {
    ...{ found, stored, states, warnings, keep, repeated },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    break: (value: boolean) => {
      isBroken = value;
    },
  };
}

test("the same key of the same hook gives the first run, until its time is over", async (t) => {
  const { keep, repeated, pass } = deliveries(t);
  await keep("1", "run-1");
  t.is(await repeated("1"), "run-1");
  t.is(await repeated("2"), undefined);
  t.is(await repeated("1", "hook.b"), undefined);
  pass(WITHIN - 1);
  t.is(await repeated("1"), "run-1");
  pass(1);
  t.is(await repeated("1"), undefined);
});

for (const state of ["failed", "timed_out", "cancelled", "interrupted"])
  test(`a run that is ${state} may be repeated`, async (t) => {
    const { keep, repeated, states } = deliveries(t);
    await keep("1", "run-1");
    states.set("run-1", state);
    t.is(await repeated("1"), undefined);
    await keep("1", "run-2");
    t.is(await repeated("1"), "run-2");
  });

for (const state of ["queued", "running", "succeeded"])
  test(`a run that is ${state} may not`, async (t) => {
    const { keep, repeated, states } = deliveries(t);
    await keep("1", "run-1");
    states.set("run-1", state);
    t.is(await repeated("1"), "run-1");
  });

test("a second delivery waits for what becomes of the first", async (t) => {
  const { found, repeated } = deliveries(t);
  const first = await found.claim("hook.a", "1", WITHIN);
  let isAnswered = false;
  const second = repeated("1").finally(() => {
    isAnswered = true;
  });
  await new Promise(setImmediate);
  t.false(isAnswered);
  if ("repeated" in first) return t.fail();
  await first.keep("run-1");
  t.is(await second, "run-1");
});

test("a first delivery that was refused leaves room for the second", async (t) => {
  const { found, repeated } = deliveries(t);
  const first = await found.claim("hook.a", "1", WITHIN);
  const second = repeated("1");
  if ("repeated" in first) return t.fail();
  first.release();
  t.is(await second, undefined);
});

test("a store that cannot be read refuses, and blocks nothing afterwards", async (t) => {
  const { repeated, break: broken } = deliveries(t);
  broken(true);
  await t.throwsAsync(repeated("1"), { message: "the disk is full" });
  broken(false);
  t.is(await repeated("1"), undefined);
});

test("a store that cannot be written is a warning; the delivery may run again", async (t) => {
  const { found, repeated, warnings, break: broken } = deliveries(t);
  const claim = await found.claim("hook.a", "1", WITHIN);
  if ("repeated" in claim) return t.fail();
  broken(true);
  await claim.keep("run-1");
  broken(false);
  t.deepEqual(warnings, ["run-1"]);
  t.is(await repeated("1"), undefined);
});

test("expired deliveries are deleted now and then, valid ones stay", async (t) => {
  const { keep, stored, pass, repeated } = deliveries(t);
  for (let index = 1; index < 100; index += 1) await keep(`old ${index}`, `run-${index}`);
  t.is(stored.size, 2 * 99, "each by its name, and by its expiry");
  pass(WITHIN * 3);
  await keep("new", "run-100");
  t.is(stored.size, 2);
  t.is(await repeated("new"), "run-100");
});

test("after the clock was set back a repetition is one still, for its time from then on", async (t) => {
  const { keep, repeated, pass } = deliveries(t);
  pass(7_200_000);
  await keep("1", "run-1");
  pass(-7_200_000);
  t.is(await repeated("1"), "run-1");
  pass(WITHIN - 1);
  t.is(await repeated("1"), "run-1");
  pass(1);
  t.is(await repeated("1"), undefined);
});

test("deliveries that an earlier version stored are known", async (t) => {
  const { keep, repeated, stored } = deliveries(t);
  await keep("1", "run-1");
  for (const key of stored.keys()) if (key.startsWith("name/")) stored.delete(key);
  t.is(await repeated("1"), "run-1");
});
