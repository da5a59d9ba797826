/** Numbers as people read them: how long, how large, how long ago. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two units at most: `12ms`, `3.4s`, `2m 5s`, `4h 10m`, `12d 3h`. Takes milliseconds. */
export function duration(milliseconds: number): string {
  const value = Math.max(0, milliseconds);
  if (value < SECOND) return `${Math.round(value)}ms`;
  if (value < 10 * SECOND) return `${trimmed(Math.floor(value / 100) / 10)}s`;
  if (value < MINUTE) return `${Math.floor(value / SECOND)}s`;
  if (value < HOUR) return pair(value, MINUTE, "m", SECOND, "s");
  if (value < DAY) return pair(value, HOUR, "h", MINUTE, "m");
  return pair(value, DAY, "d", HOUR, "h");
}

/** `512 B`, `1.4 KiB`, `12 MiB`. Takes bytes. */
export function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = Math.max(0, bytes);
  let unit = 0;
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits =
    unit > 0 && value < 9.95 ? trimmed(Math.round(value * 10) / 10) : Math.round(value);
  return `${digits} ${units[unit]}`;
}

/** A share of one: `0.123` is `12 %`. */
export function ratio(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `just now`, `5s ago`, `2h ago`, `in 30s`: one unit. Takes milliseconds since the epoch. */
export function relative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < SECOND) return "just now";
  const [coarse] = duration(Math.floor(distance / SECOND) * SECOND).split(" ");
  return at > now ? `in ${coarse}` : `${coarse} ago`;
}

/** The local time of day, with the date where it is not the day of `now`: `14:02:11`, `2026-11-20 14:02:11`. */
export function absolute(at: number, now: number): string {
  const [date, time] = local(at);
  return date === local(now)[0] ? time : `${date} ${time}`;
}

/** Both: `2h ago (14:02:11)`. */
export function when(at: number, now: number): string {
  return `${relative(at, now)} (${absolute(at, now)})`;
}

/** `1 run`, `3 runs`. */
export function countText(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function local(at: number): readonly [date: string, time: string] {
  const moment = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return [
    `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`,
    `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`,
  ];
}

function pair(value: number, large: number, largeUnit: string, small: number, smallUnit: string) {
  const whole = Math.floor(value / large);
  const rest = Math.floor((value % large) / small);
  return rest === 0 ? `${whole}${largeUnit}` : `${whole}${largeUnit} ${rest}${smallUnit}`;
}

/** `3`, not `3.0`. */
function trimmed(number: number): string {
  return number.toFixed(1).replace(/\.0$/, "");
}
