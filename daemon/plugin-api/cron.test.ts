/** The times of cron expressions where clocks change. */
import test from "ava";
import { CronTimes, cronFault } from "./cron.js";

type Row = readonly [expression: string, zone: string, after: string, times: readonly string[]];

const rows: readonly Row[] = [
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", ["03-29T01:00", "03-30T00:30"]],
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", ["10-25T00:30", "10-26T01:30"]],
  ["0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", ["03-29T01:00", "03-30T00:00"]],
  [
    "0,30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T12:00",
    ["10-25T00:00", "10-25T00:30", "10-26T01:00"],
  ],
  [
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-03-29T00:00",
    ["03-29T00:30", "03-29T01:00", "03-29T01:30"],
  ],
  [
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-10-24T23:30",
    ["10-25T00:00", "10-25T00:30", "10-25T01:00"],
  ],
  [
    "0 */2 * * *",
    "Europe/Berlin",
    "2026-10-24T23:30",
    ["10-25T00:00", "10-25T01:00", "10-25T03:00"],
  ],
  // Cairo's clock skips midnight.
  ["0 0 * * *", "Africa/Cairo", "2026-04-23T00:00", ["04-23T22:00", "04-24T21:00"]],
  // Lord Howe's clock changes by half an hour.
  ["30 1 * * *", "Australia/Lord_Howe", "2026-04-03T15:00", ["04-04T14:30", "04-05T15:00"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:00", ["10-03T15:30", "10-04T15:15"]],
  ["0 0 13 * 5", "UTC", "2026-02-01T00:00", ["02-06T00:00", "02-13T00:00", "02-20T00:00"]],
  ["0 0 13 * +5", "UTC", "2026-01-01T00:00", ["02-13T00:00", "03-13T00:00"]],
];
for (const [expression, zone, after, times] of rows) {
  test(`${expression} in ${zone} after ${after}`, (t) => {
    const cron = new CronTimes(expression, zone);
    let at = Date.parse(`${after}Z`);
    for (const time of times) {
      at = cron.next(at) ?? 0;
      t.is(new Date(at).toISOString(), `2026-${time}:00.000Z`);
    }
  });
}

for (const [expression, fault] of [
  ["0 5 * * *", undefined],
  ["*/10 0-6 1,15 * MON", undefined],
  ["0 0 L * *", undefined],
  ["noon", /five fields/],
  ["0 0 5 * * *", /five fields/],
  ["61 * * * *", /minute: 61/],
  ["0 0 31 2 *", /^it never comes$/],
  ["H * * * *", /`jitter`/],
  ["@reboot", /no time/],
  ["@daily", /five fields: `0 0 \* \* \*`/],
  ["5/15 * * * *", /5-59\/15/],
  ["0 0 * * FRI-MON", /list the days/],
] as const) {
  test(`the cron expression ${expression} is ${fault ? "refused" : "valid"}`, (t) => {
    if (fault) t.regex(cronFault(expression) ?? "", fault);
    else t.is(cronFault(expression), undefined);
  });
}
