/** The dashboard's panel of hooks. */
import type { Column, Panel } from "reeve/plugin";
import type { HookRuntime } from "../runs/hook-runtime.js";

const columns: readonly Column[] = [
  { id: "hook", title: "Hook" },
  { id: "calls", title: "Calls", format: "number" },
  { id: "running", title: "Running", format: "number", priority: 1 },
  { id: "waiting", title: "Waiting", format: "number", priority: 1 },
  { id: "p50", title: "p50", format: "duration", priority: 2 },
  { id: "p95", title: "p95", format: "duration", priority: 3 },
  { id: "p99", title: "p99", format: "duration", priority: 4 },
  { id: "failures", title: "Failed", format: "number" },
  { id: "timeouts", title: "Timed out", format: "number", priority: 3 },
  { id: "rejected", title: "Rejected", format: "number", priority: 2 },
  { id: "last", title: "Last run", format: "time", priority: 1 },
  { id: "state", title: "State", format: "state" },
];

/** Rows beyond a screen are not worth sending every second. */
const ROWS = 200;

export function hooksPanel(hooks: readonly HookRuntime[]): Panel {
  const shown = hooks.slice(0, ROWS);
  return {
    kind: "table",
    id: "hooks",
    title: "Hooks",
    columns,
    rows: shown.map(({ block, admission, meter: { statistics } }) => ({
      hook: block.label ?? "",
      calls: statistics.calls,
      running: admission.running,
      waiting: admission.waiting,
      p50: statistics.percentile(0.5) ?? null,
      p95: statistics.percentile(0.95) ?? null,
      p99: statistics.percentile(0.99) ?? null,
      timeouts: statistics.timeouts,
      failures: statistics.failures,
      rejected: statistics.rejected,
      last: statistics.lastRun?.at ?? null,
      state: statistics.lastRun?.state ?? null,
    })),
    ...(hooks.length > ROWS ? { omitted: hooks.length - ROWS } : {}),
  };
}
