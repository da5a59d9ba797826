/** When a config runs next, in zones with and without summer time. */
import test from "ava";
import { nextRun, spread, type Timetable } from "./next-run.js";

type Row = readonly [title: string, timetable: Partial<Timetable>, now: string, next: string];

const rows: readonly Row[] = [
  ["every day, later today", {}, "2026-11-22T04:00:00Z", "2026-11-22T05:00:00Z"],
  ["every day, tomorrow", {}, "2026-11-22T05:00:00Z", "2026-11-23T05:00:00Z"],
  ["live keeps a daily run", { schedule: "live" }, "2026-11-22T06:00:00Z", "2026-11-23T05:00:00Z"],
  ["on the next Monday", { schedule: "weekly" }, "2026-11-22T06:00:00Z", "2026-11-23T05:00:00Z"],
  ["a week later", { schedule: "weekly" }, "2026-11-23T05:00:00Z", "2026-11-30T05:00:00Z"],
  [
    "another day",
    { schedule: "weekly", day: "friday" },
    "2026-11-22T06:00:00Z",
    "2026-11-27T05:00:00Z",
  ],
  [
    "a word that is no day",
    { schedule: "weekly", day: "noday" },
    "2026-11-22T06:00:00Z",
    "2026-11-23T05:00:00Z",
  ],
  ["from Monday to Friday", { weekdays: true }, "2026-11-20T06:00:00Z", "2026-11-23T05:00:00Z"],
  ["on the first", { schedule: "monthly" }, "2026-11-22T06:00:00Z", "2026-12-01T05:00:00Z"],
  ["over the year", { schedule: "monthly" }, "2026-12-01T05:00:00Z", "2027-01-01T05:00:00Z"],
  ["in another zone", { zone: "Asia/Tokyo" }, "2026-11-22T00:00:00Z", "2026-11-22T20:00:00Z"],
  ["in summer", { zone: "Europe/Berlin" }, "2026-07-01T12:00:00Z", "2026-07-02T03:00:00Z"],
  ["in winter", { zone: "Europe/Berlin" }, "2026-12-01T12:00:00Z", "2026-12-02T04:00:00Z"],
  [
    "a time the clock skips",
    { zone: "Europe/Berlin", time: "02:30" },
    "2026-03-28T12:00:00Z",
    "2026-03-29T01:00:00Z",
  ],
  [
    "the day after that",
    { zone: "Europe/Berlin", time: "02:30" },
    "2026-03-29T01:00:00Z",
    "2026-03-30T00:30:00Z",
  ],
  [
    "a time it shows twice",
    { zone: "Europe/Berlin", time: "02:30" },
    "2026-10-24T12:00:00Z",
    "2026-10-25T00:30:00Z",
  ],
  [
    "only once",
    { zone: "Europe/Berlin", time: "02:30" },
    "2026-10-25T00:30:00Z",
    "2026-10-26T01:30:00Z",
  ],
  [
    "a zone of half hours",
    { zone: "Asia/Kolkata", time: "00:15" },
    "2026-01-01T00:00:00Z",
    "2026-01-01T18:45:00Z",
  ],
  [
    "by a cron expression, in its zone",
    { cron: "30 4 * * 1-5", zone: "Asia/Tokyo" },
    "2026-11-20T20:00:00Z",
    "2026-11-22T19:30:00Z",
  ],
  [
    "by a cron expression, at a time the clock skips",
    { cron: "0,30 2 * * *", zone: "Europe/Berlin" },
    "2026-03-28T12:00:00Z",
    "2026-03-29T01:00:00Z",
  ],
  [
    "on the first day of a quarter",
    { cron: "5 16 1 1,4,7,10 *" },
    "2026-11-22T00:00:00Z",
    "2027-01-01T16:05:00Z",
  ],
];

for (const [title, timetable, now, next] of rows) {
  test(title, (t) => {
    const all = {
      schedule: "daily",
      time: "05:00",
      day: "monday",
      zone: "UTC",
      ...timetable,
    } as const;
    t.is(new Date(nextRun(all, Date.parse(now))).toISOString(), next.replace("Z", ".000Z"));
  });
}

test("starts are spread over five minutes, always the same way", (t) => {
  const spreads = Array.from({ length: 1000 }, (_, id) => spread(id));
  t.true(spreads.every((each) => each >= 0 && each < 300_000));
  t.true(new Set(spreads.map((each) => Math.floor(each / 30_000))).size === 10);
  t.is(spread(7), spread(7));
});
