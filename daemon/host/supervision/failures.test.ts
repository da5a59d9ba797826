import test from "ava";
import { Failures } from "./failures.js";

const MINUTE = 60_000;

test("each failure waits twice as long as the one before", (t) => {
  const failures = new Failures();
  const verdicts = [0, 1, 2, 3].map((index) => failures.note(index * 1000, 0.5));
  t.deepEqual(verdicts, [
    { kind: "retry", delay: 500 },
    { kind: "retry", delay: 1000 },
    { kind: "retry", delay: 2000 },
    { kind: "retry", delay: 4000 },
  ]);
});

test("the wait varies by a quarter", (t) => {
  t.deepEqual(new Failures().note(0, 0), { kind: "retry", delay: 375 });
  t.deepEqual(new Failures().note(0, 1), { kind: "retry", delay: 625 });
});

test("five failures within five minutes are too many", (t) => {
  const failures = new Failures();
  for (let minute = 0; minute < 4; minute += 1) failures.note(minute * MINUTE, 0);
  t.deepEqual(failures.note(4 * MINUTE, 0), { kind: "quarantine" });
});

test("five failures within a longer time are not, and the wait has its bound", (t) => {
  const failures = new Failures();
  const verdicts = Array.from({ length: 20 }, (_, index) =>
    failures.note(index * 1.3 * MINUTE, 0.5),
  );
  t.true(verdicts.every(({ kind }) => kind === "retry"));
  t.true(verdicts.every((verdict) => verdict.kind === "retry" && verdict.delay <= 60_000));
});

test("after ten quiet minutes, and after a release, it begins anew", (t) => {
  const failures = new Failures();
  failures.note(0, 0.5);
  failures.note(1, 0.5);
  t.deepEqual(failures.note(11 * MINUTE, 0.5), { kind: "retry", delay: 500 });
  failures.forget();
  t.deepEqual(failures.note(11 * MINUTE, 0.5), { kind: "retry", delay: 500 });
});
