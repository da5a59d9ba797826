import test from "ava";
import type { Fields } from "reeve/plugin";
import type { Incoming } from "../decide/incoming.js";
import { refuse } from "../decide/refusal.js";
import { Refusals } from "./refusals.js";

/** Everything that is told, on a clock that the test moves. */
function watched() {
  const events: Array<readonly [type: string, data: Fields]> = [];
  let [now, counted] = [1_000_000, 0];
  const sleepers: Array<() => void> = [];
  const count = (amount = 1): void => {
    counted += amount;
  };
  const refusals = new Refusals({
    context: {
      clock: {
        now: () => now,
        sleep: () => new Promise((resolve) => sleepers.push(resolve)),
      },
      events: { emit: (type, data = {}) => void events.push([type, data]) },
    },
    metrics: { requests: { add: count } },
    signal: new AbortController().signal,
  });
  return {
    ...{ events, refusals },
    counted: () => counted,
    async pass(milliseconds: number): Promise<void> {
      now += milliseconds;
      for (const wake of sleepers.splice(0)) wake();
      await Promise.resolve();
    },
    of: (type: string) => events.filter(([each]) => each === type).map(([, data]) => data),
  };
}

const unmet = (cause?: () => string) =>
  refuse("condition_not_met", "The request does not meet the hook's condition.", {
    ...(cause && { cause }),
  });

const incoming = (bytes: number): Incoming => ({
  ...{ method: "POST", headers: {}, query: "", remoteIp: "127.0.0.1", now: 0 },
  body: new Uint8Array(bytes),
});

test("a hundred refusals a second are reported, then the number of the others; all are counted", async (t) => {
  const at = watched();
  for (let index = 0; index < 250; index += 1) at.refusals.add("x", unmet(), "a", undefined);
  t.is(at.of("hook.rejected").length, 100);
  t.deepEqual(at.of("hook.rejected_more"), []);
  await at.pass(1000);
  t.deepEqual(at.of("hook.rejected_more"), [{ hook: "x", count: 150 }]);
  for (let index = 0; index < 101; index += 1) at.refusals.add("x", unmet(), "a", undefined);
  await at.pass(1000);
  t.is(at.of("hook.rejected").length, 200);
  t.deepEqual(at.of("hook.rejected_more").at(-1), { hook: "x", count: 1 });
  t.is(at.counted(), 351);
});

test("a few refusals are reported one by one", async (t) => {
  const at = watched();
  for (let index = 0; index < 100; index += 1) at.refusals.add("x", unmet(), "a", undefined);
  await at.pass(1000);
  t.is(at.of("hook.rejected").length, 100);
  t.deepEqual(at.of("hook.rejected_more"), []);
});

test("the latest ten are kept with their requests, newest first, also of a crowd", (t) => {
  const at = watched();
  for (let index = 0; index < 150; index += 1) {
    at.refusals.add("x", unmet(), `${index}`, incoming(index));
  }
  t.deepEqual(
    at.refusals.list().map(({ trigger, request }) => [trigger, request?.body.length]),
    Array.from({ length: 10 }, (_, index) => [`${149 - index}`, 149 - index]),
  );
});

test("causes are evaluated ten times a second, and on request", async (t) => {
  const at = watched();
  let worked = 0;
  const cause = (): string => {
    worked += 1;
    return `because ${worked}`;
  };
  for (let index = 0; index < 50; index += 1) {
    at.refusals.add("x", unmet(cause), "a", incoming(1));
    await at.pass(10);
  }
  t.is(worked, 5);
  t.is(
    at.of("hook.rejected").filter(({ detail }) => String(detail).startsWith("because")).length,
    5,
  );
  const [newest] = at.refusals.list();
  t.is(typeof newest?.detail === "function" && newest.detail(), "because 6");
});

test("a large request is not retained, not even by its cause", (t) => {
  const at = watched();
  const cause = (): string => "because of this";
  at.refusals.add("x", unmet(cause), "a", incoming(4097));
  at.refusals.add("x", unmet(cause), "b", incoming(4097));
  t.deepEqual(
    at.refusals.list().map(({ request, detail }) => [request, detail]),
    [
      [undefined, "The request does not meet the hook's condition."],
      [undefined, "because of this"],
    ],
  );
});
