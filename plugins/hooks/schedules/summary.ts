/** Schedules as the control API and the dashboard show them. */
import type { Column, Panel } from "reeve/plugin";
import type { ScheduleSummary } from "../evidence/api.js";
import { blockPanel, blockSummary } from "../triggers/summary.js";
import type { ScheduleState } from "./schedule-runner.js";

const SHOWN = 10;

/** `now` in milliseconds since the epoch. `count`: how many of its next starts. */
export function scheduleSummary(state: ScheduleState, now: number, count = SHOWN): ScheduleSummary {
  const { block, slots, cursor, missed, skipped } = state;
  const { cron, every, time_zone } = block.values;
  return {
    ...blockSummary(state),
    rule: cron === undefined ? `every ${written(every ?? 0)}` : `${cron} ${time_zone}`,
    next: slots.starts(Math.max(cursor ?? now, now - slots.delay), count),
    missed,
    skipped,
  };
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** As in the language: `5m`. */
function written(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => milliseconds % each === 0) ?? ["ms", 1];
  return `${milliseconds / size}${unit}`;
}

const columns: readonly Column[] = [
  { id: "schedule", title: "Schedule" },
  { id: "rule", title: "Rule", priority: 2 },
  { id: "next", title: "Next", format: "time" },
  { id: "running", title: "Running", format: "number", priority: 1 },
  { id: "missed", title: "Missed", format: "number", priority: 2 },
  { id: "skipped", title: "Skipped", format: "number", priority: 2 },
  { id: "last", title: "Last run", format: "time", priority: 1 },
  { id: "state", title: "State", format: "state" },
];

export const schedulesPanel = (schedules: readonly ScheduleState[], now: number): Panel =>
  blockPanel({ id: "schedules", title: "Schedules", columns }, schedules, (schedule) => {
    const { name, rule, next, running, missed, skipped, lastRun } = scheduleSummary(
      schedule,
      now,
      1,
    );
    return {
      ...{ schedule: name, rule, next: next[0] ?? null, running, missed, skipped },
      ...{ last: lastRun?.at ?? null, state: lastRun?.state ?? null },
    };
  });
