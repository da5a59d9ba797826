/** `next(schedule.backup, "2026-03-29T00:00:00Z")` in `test` blocks. */
import type { ScheduleBlock } from "../blocks/blocks.js";
import { rfc3339 } from "../triggers/rfc3339.js";
import { Slots } from "./slots.js";

/** The first time after `after`, without jitter. @throws Error if there is none, or no such argument */
export function nextTime({ key, values }: ScheduleBlock, after: string): string {
  if (values.cron === undefined) {
    throw new Error("times of `every` differ between hosts, so a test cannot name them");
  }
  const from = Date.parse(after);
  if (!/^\d{4}-\d\d-\d\dT/.test(after) || Number.isNaN(from)) {
    throw new Error(`\`${after}\` is no time; write one like \`2026-03-29T00:00:00Z\``);
  }
  const next = new Slots({ ...values, jitter: 0 }, key).next(from);
  if (next === undefined) throw new Error(`\`${key}\` does not run after ${after}`);
  return rfc3339(next);
}
