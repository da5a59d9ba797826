import test from "ava";
import { LogLines } from "./log-lines.js";

const line = (message: string) => ({ at: 1, level: "info", message, fields: {} }) as const;

test("lines are numbered, and only those after a number are told", (t) => {
  const lines = new LogLines();
  for (const message of ["a", "b", "c"]) lines.push(line(message));
  const messages = (since: number) =>
    lines.since(since).map(({ sequence, message }) => [sequence, message]);
  t.deepEqual(messages(0), [
    [1, "a"],
    [2, "b"],
    [3, "c"],
  ]);
  t.deepEqual(messages(2), [[3, "c"]]);
  t.deepEqual(messages(3), []);
  t.deepEqual(messages(99), []);
});

test("the newest are kept, however many come", (t) => {
  const lines = new LogLines();
  for (let number = 1; number <= 5000; number += 1) {
    lines.push(line(String(number)));
    t.true(lines.since(0).length <= 500);
  }
  t.is(lines.since(0).length, 500);
  t.is(lines.since(0).at(-1)?.message, "5000");
  t.is(lines.since(0)[0]?.sequence, 4501);
});
