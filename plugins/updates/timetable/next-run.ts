/** When a config runs next by its schedule. */
import { CronTimes } from "reeve/plugin";
import { momentOf, wallTime } from "./zone.js";

export interface Timetable {
  readonly schedule: "live" | "daily" | "weekly" | "monthly";
  /** `HH:MM`. */
  readonly time: string;
  /** `monday` … `sunday`. */
  readonly day: string;
  readonly zone: string;
  /** Daily runs from Monday to Friday only. */
  readonly weekdays?: boolean;
  /** Replaces everything but the zone. */
  readonly cron?: string;
}

export const WEEKDAYS = [
  ...["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
] as const;

/**
 * The first time after `now`: daily (`live` keeps it as a safety net), weekly, or on the first of the month. A time that the
 * clock skips becomes the next minute that exists; a repeated one counts once.
 */
export function nextRun(
  { schedule, time, day: written, weekdays = false, zone, cron }: Timetable,
  now: number,
): number {
  if (cron !== undefined) {
    return new CronTimes(cron, zone).next(now) ?? Number.MAX_SAFE_INTEGER;
  }
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const today = wallTime(now, zone);
  const onDay = (days: number): number =>
    momentOf({ ...today, day: today.day + days, hour, minute }, zone);
  if (schedule === "monthly") {
    for (let months = 0; ; months += 1) {
      const at = momentOf({ ...today, month: today.month + months, day: 1, hour, minute }, zone);
      if (at > now) return at;
    }
  }
  // Records of earlier versions may have a word that is no day.
  const day = WEEKDAYS.find((each) => each === written) ?? "monday";
  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  for (let days = 0; ; days += 1) {
    const name = WEEKDAYS[(weekday + days) % 7];
    const isWorkday = name !== "saturday" && name !== "sunday";
    const fits = schedule === "weekly" ? name === day : !weekdays || isWorkday;
    if (fits && onDay(days) > now) return onDay(days);
  }
}

/** Milliseconds from 0 to 300,000 that are always the same for a config, so that not all start at once. */
export const spread = (configId: number): number =>
  (Math.imul(configId, 2_654_435_761) >>> 0) % 300_000;
