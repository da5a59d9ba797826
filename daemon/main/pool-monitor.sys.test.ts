import test from "ava";
import { blockPool } from "../../tests/support/blocked-pool.js";
import { eventually } from "../../tests/support/eventually.js";
import type { ConditionFinding } from "../services/contract.js";
import { monitorPool } from "./pool-monitor.js";

test.serial("a pool that does not answer is a condition, until it answers", async (t) => {
  let found: readonly ConditionFinding[] = [];
  const conditions = {
    report: (_source: string, all: readonly ConditionFinding[]) => {
      found = all;
    },
  };
  const monitor = monitorPool({ conditions, interval: 10, patience: 200 });
  t.teardown(() => monitor.stop());
  const release = blockPool(t);
  await eventually("the condition", () => found.length > 0);
  t.true(monitor.isBlocked);
  t.like(found, [{ code: "pool_blocked", isUnready: true }]);
  t.regex(found[0]?.reason ?? "", /^The process's pool of file threads is blocked: /);
  release();
  await eventually("its end", () => found.length === 0);
  t.false(monitor.isBlocked);
});

test.serial("a stall of the event loop is no fault of the pool", async (t) => {
  let reports = 0;
  const conditions = {
    report: () => {
      reports += 1;
    },
  };
  const monitor = monitorPool({ conditions, interval: 10, patience: 100 });
  t.teardown(() => monitor.stop());
  for (let stall = 0; stall < 3; stall += 1) {
    let looks = 0;
    await eventually("a turn", () => looks++ === 3, { every: 10 });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  let looks = 0;
  await eventually("some turns", () => looks++ === 5, { every: 10 });
  t.is(reports, 0);
});
