import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import type { Fields, Log, Metrics } from "../plugin-api/context.js";
import { monitorStalls } from "./stall-monitor.js";

/** Half a second of processor time, however long a busy machine needs for it. */
const busy = (): void => {
  const end = process.threadCpuUsage().user + 500_000;
  while (process.threadCpuUsage().user < end);
};
const waiting = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
};

function monitored(t: import("ava").ExecutionContext) {
  const warnings: Fields[] = [];
  let seconds = 0;
  const log = { warn: (_message: string, fields: Fields) => warnings.push(fields) };
  const metrics = { counter: () => ({ add: (more: number) => (seconds += more) }) };
  const stop = monitorStalls({
    log: log as unknown as Log,
    metrics: metrics as unknown as Metrics,
    interval: 10,
    threshold: 300,
  });
  t.teardown(stop);
  return { warnings, seconds: () => seconds };
}

for (const [what, stall, isBusy] of [
  ["code that runs", busy, true],
  ["a call that waits", waiting, false],
] as const) {
  test.serial(`${what} is logged and counted once it lets go of the loop`, async (t) => {
    const { warnings, seconds } = monitored(t);
    await sleep(50);
    stall();
    while (warnings.length === 0) await sleep(10);
    const { milliseconds = 0, processor = 0 } = warnings[0] as Record<string, number>;
    t.true(milliseconds >= 300, `${milliseconds}`);
    t.is(processor > 250, isBusy, `${processor} of ${milliseconds}`);
    t.true(seconds() >= 0.3);
  });
}
