/** Working hours: `monday 09:00-17:00`. */
import { WEEKDAYS } from "./next-run.js";
import { wallTime } from "./zone.js";

/** Without hours: always. The end is exclusive. */
export function isWithinHours(hours: readonly string[], now: number, zone: string): boolean {
  if (hours.length === 0) return true;
  const { year, month, day, hour, minute } = wallTime(now, zone);
  const weekday = WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
  const time = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  return hours.some((each) => {
    const [, name, start = "", end = ""] = /^(\S+) (\S+)-(\S+)$/.exec(each) ?? [];
    return name === weekday && start <= time && time < end;
  });
}
