import test from "ava";
import { MOST, Slots } from "./slots.js";

const at = (time: string): number => Date.parse(`2026-${time}:00Z`);
const daily = { cron: "0 3 * * *", time_zone: "UTC", jitter: 0 };
const DAY = 86_400_000;

test("times after the cursor are due at their start", (t) => {
  const slots = new Slots(daily, "x");
  t.is(slots.due(at("01-01T03:00"), at("01-02T02:59")), undefined);
  t.deepEqual(slots.due(at("01-01T03:00"), at("01-02T03:00")), {
    latest: at("01-02T03:00"),
    count: 1,
  });
  t.deepEqual(slots.due(at("01-01T03:00"), at("01-05T04:00")), {
    latest: at("01-05T03:00"),
    count: 4,
  });
});

test("a clock that is set back repeats nothing", (t) => {
  const slots = new Slots(daily, "x");
  t.is(slots.due(at("01-05T03:00"), at("01-04T03:00")), undefined);
  t.is(slots.next(at("01-05T03:00")), at("01-06T03:00"));
});

test("the latest of very many is found", (t) => {
  const slots = new Slots({ cron: "* * * * *", time_zone: "UTC", jitter: 0 }, "x");
  t.deepEqual(slots.due(at("01-01T00:00"), at("06-01T12:34")), {
    latest: at("06-01T12:34"),
    count: MOST,
  });
  const rare = new Slots({ cron: "* 3 * * *", time_zone: "UTC", jitter: 0 }, "x");
  t.deepEqual(rare.due(at("01-01T00:00"), at("06-01T02:00")), {
    latest: at("05-31T03:59"),
    count: MOST,
  });
});

test("the delay is the same share of the jitter every time, and differs between schedules", (t) => {
  const delays = Array.from(
    { length: 200 },
    (_, index) => new Slots({ ...daily, jitter: 600_000 }, `x${index}`).delay,
  );
  t.true(delays.every((delay) => delay >= 0 && delay < 600_000));
  t.true(new Set(delays).size > 190);
  t.is(new Slots({ ...daily, jitter: 600_000 }, "x7").delay, delays[7] ?? -1);
});

test("intervals keep their times across restarts", (t) => {
  const every = { every: 7 * 60_000, time_zone: "UTC", jitter: 0 };
  const first = new Slots(every, "x").next(at("01-01T00:00")) ?? 0;
  t.is(new Slots(every, "x").next(first), first + every.every);
  t.is(
    (new Slots(every, "x").next(at("01-01T00:00") + 365 * DAY) ?? 0) % every.every,
    first % every.every,
  );
});
