import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
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
  const lines: Fields[] = [];
  let seconds = 0;
  const log = {
    warn: (_message: string, fields: Fields) => lines.push({ ...fields, level: "warn" }),
    info: (_message: string, fields: Fields) => lines.push({ ...fields, level: "info" }),
  };
  const metrics = { counter: () => ({ add: (more: number) => (seconds += more) }) };
  const stop = monitorStalls({
    log: log as unknown as Log,
    metrics: metrics as unknown as Metrics,
    interval: 10,
    threshold: 300,
  });
  t.teardown(stop);
  return { lines, seconds: () => seconds };
}

for (const [what, stall, level] of [
  ["code that runs", busy, "warn"],
  ["a call that waits", waiting, "info"],
] as const) {
  test.serial(`${what} is logged and counted once it lets go of the loop`, async (t) => {
    const { lines, seconds } = monitored(t);
    let looks = 0;
    await eventually("time for the monitor to look", () => looks++ === 3, { every: 20 });
    stall();
    await eventually("a line", () => lines.length > 0);
    const { milliseconds = 0, processor = 0 } = lines[0] as Record<string, number>;
    t.true(milliseconds >= 300, `${milliseconds}`);
    // A busy machine may give so little time that code counts as a wait.
    if (level === "info" || processor >= milliseconds / 4) t.is(lines[0]?.level, level);
    t.is(processor > 250, level === "warn", `${processor} of ${milliseconds}`);
    t.true(seconds() >= 0.3);
  });
}
