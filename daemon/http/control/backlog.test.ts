/** What one client is sent of what happens. */
import test from "ava";
import { backlogFor } from "./backlog.js";

const event = (sequence: number, plugin?: string, at = 1000) => ({
  sequence,
  at,
  type: plugin === undefined ? "config.reloaded" : "hook.finished",
  ...(plugin !== undefined && { plugin }),
  data: {},
});
const sequences = (lines: ReadonlyArray<{ readonly sequence: number }>) =>
  lines.map(({ sequence }) => sequence);

test("all are sent, each, until there is no more room", (t) => {
  const backlog = backlogFor(undefined);
  t.is(backlog.gather, 0);
  for (let sequence = 1; sequence <= 10_000; sequence += 1)
    t.true(backlog.add(event(sequence, "hooks")));
  t.false(backlog.add(event(10_001, "hooks")));
  t.is(backlog.take().length, 10_000);
  t.deepEqual(backlog.take(), []);
});

test("of the events of plugins the newest are sent, and the others are counted by plugin and second", (t) => {
  const backlog = backlogFor(2);
  t.true(backlog.gather > 0);
  const happened = [
    event(1, "hooks", 1999),
    event(2, "updates", 1999),
    event(3, "hooks", 2000),
    event(4, "hooks", 2001),
    event(5, "hooks", 2002),
    event(6, "updates", 2003),
  ];
  for (const each of happened) t.true(backlog.add(each));
  t.deepEqual(backlog.take(), [
    { line: "event", ...event(5, "hooks", 2002) },
    { line: "event", ...event(6, "updates", 2003) },
    {
      line: "left_out",
      sequence: 6,
      counts: [
        { plugin: "hooks", second: 1, count: 1 },
        { plugin: "updates", second: 1, count: 1 },
        { plugin: "hooks", second: 2, count: 2 },
      ],
    },
  ]);
  backlog.add(event(7, "hooks"));
  t.deepEqual(sequences(backlog.take()), [7], "what was left out is told once");
});

test("what the daemon says of itself is always sent, in its place", (t) => {
  const backlog = backlogFor(1);
  const happened = [event(1), event(2, "hooks"), event(3), event(4, "hooks"), event(5)];
  for (const each of happened) backlog.add(each);
  t.deepEqual(sequences(backlog.take()), [1, 3, 4, 5, 5]);
});

test("there is always room where events are counted", (t) => {
  const backlog = backlogFor(10);
  for (let sequence = 1; sequence <= 50_000; sequence += 1)
    t.true(backlog.add(event(sequence, "hooks")));
  const lines = backlog.take();
  t.is(lines.length, 11);
  t.like(lines.at(-1), { line: "left_out", sequence: 50_000, counts: [{ count: 49_990 }] });
});
