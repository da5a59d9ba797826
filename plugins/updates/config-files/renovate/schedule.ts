/** Schedules of Renovate, which are windows of time, as times at which a config runs. */
import { cronFault } from "reeve/plugin";

export interface FileSchedule {
  readonly interval: "daily" | "weekly" | "monthly" | "cron";
  readonly day?: string;
  readonly time?: string;
  readonly cronjob?: string;
}

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** The start of the first window; undefined for text in another form. */
export function scheduleOf(written: string): FileSchedule | undefined {
  const text = written.trim().toLowerCase().replace(/\s+/g, " ");
  if (text === "at any time") return { interval: "cron", cronjob: "0 * * * *" };
  if (/^[\d*]\S*( \S+){4}$/.test(text)) return ofCron(text);
  const time = timeIn(text);
  if (time === undefined) return undefined;
  const rest = text.replace(/\b(before|after) \S+( ?[ap]m)?( and before \S+)?/g, "").trim();
  const [hour, minute] = time.split(":").map(Number);
  const at = (days: string): FileSchedule => {
    return { interval: "cron", cronjob: `${minute} ${hour} ${days}` };
  };
  if (rest === "" || /^every day$|^(on )?every day of the week$/.test(rest)) return at("* * *");
  if (/^(on )?the (first|1st) day of (the|every) month$|^every month$/.test(rest))
    return { interval: "monthly", time };
  if (/^(on )?every weekday$|^every weekday$/.test(rest)) return { interval: "daily", time };
  if (/^(on )?every weekend$/.test(rest)) return at("* * 0,6");
  if (/^(on )?every (\d+) months$/.test(rest)) return at(`1 */${/\d+/.exec(rest)?.[0]} *`);
  const days = DAYS.flatMap((day, index) => (rest.includes(day) ? [index] : []));
  const isList = /^(on |every )*((and |, ?| )*(sun|mon|tues|wednes|thurs|fri|satur)day)+$/.test(
    rest,
  );
  const [first] = days;
  if (!isList || first === undefined) return undefined;
  return days.length === 1
    ? { interval: "weekly", day: DAYS[first] ?? "monday", time }
    : at(`* * ${days.join(",")}`);
}

/** `before 5am` starts at midnight, `after 10pm` then; no time is midnight too. */
function timeIn(text: string): string | undefined {
  const [, written] = /\bafter (\S+(?: ?[ap]m)?)/.exec(text) ?? [];
  if (written === undefined) return "00:00";
  const [, hours = "", minutes = "00", half] =
    /^(\d{1,2})(?::(\d\d))? ?([ap]m)?$/.exec(written) ?? [];
  const hour = (Number(hours) % (half === undefined ? 24 : 12)) + (half === "pm" ? 12 : 0);
  if (hours === "" || Number(hours) > 24 || Number(minutes) > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}

/** Any minute of an hour means the first one. */
function ofCron(text: string): FileSchedule | undefined {
  const [, hours = "*", ...rest] = text.split(" ");
  const [first = "*"] = hours.split(/[,-]/);
  const cronjob = ["0", /^\d+$/.test(first) ? first : "*", ...rest].join(" ");
  return cronFault(cronjob) === undefined ? { interval: "cron", cronjob } : undefined;
}

/** `3 days` → 3; undefined for text in another form. */
export function daysOf(written: string): number | undefined {
  const [, amount, unit = ""] =
    /^(\d+(?:\.\d+)?)\s*(h|hours?|d|days?|w|weeks?|months?|years?)?$/.exec(written.trim()) ?? [];
  if (amount === undefined) return undefined;
  const perUnit = { h: 1 / 24, w: 7, m: 30, y: 365 }[unit[0] ?? "d"] ?? 1;
  const days = Math.ceil(Number(amount) * perUnit);
  return days <= 3650 ? days : undefined;
}
