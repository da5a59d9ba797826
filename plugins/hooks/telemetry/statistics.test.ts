import test from "ava";
import { HookStatistics } from "./statistics.js";

test("percentiles are of the latest runs", (t) => {
  const statistics = new HookStatistics();
  t.is(statistics.percentile(0.5), undefined);
  for (let duration = 1; duration <= 100; duration += 1) statistics.took(duration);
  t.is(statistics.percentile(0.5), 50);
  t.is(statistics.percentile(0.95), 95);
  for (let more = 0; more < 1000; more += 1) statistics.took(7);
  t.is(statistics.percentile(0.95), 7);
});

test("a record brings the counters, the start and the latest durations to the next start", (t) => {
  const before = new HookStatistics();
  for (let duration = 1; duration <= 300; duration += 1) before.took(duration);
  before.count("calls", 5);
  before.count("failures", 6);
  before.ended({ at: 7, state: "failed" });
  const { record } = before.merge(undefined, 8);
  t.is(record.durations.length, 64);
  t.deepEqual([record.durations[0], record.durations.at(-1)], [237, 300]);
  const after = new HookStatistics();
  after.count("calls", 9);
  after.restore(JSON.parse(JSON.stringify(record)));
  const shown = ({ calls, failures, rejected, timeouts, since, lastRun }: HookStatistics) => [
    ...[calls, failures, rejected, timeouts, since],
    lastRun,
  ];
  t.deepEqual(shown(after), [2, 1, 0, 0, 5, { at: 7, state: "failed" }]);
  t.is(after.percentile(1), 300);
  for (let more = 0; more < 1000; more += 1) after.took(7);
  t.is(after.percentile(1), 7);
});

test("two instances add to one record; a write that fails loses nothing", (t) => {
  const one = new HookStatistics();
  const other = new HookStatistics();
  one.count("calls", 1);
  other.count("calls", 2);
  other.count("rejected", 3);
  const first = one.merge(undefined, 4).record;
  const failed = other.merge(first, 5);
  failed.undo();
  t.deepEqual([other.calls, other.rejected], [1, 1]);
  const { record } = other.merge(first, 6);
  t.like(record, { calls: 2, rejected: 1, since: 1, at: 6 });
  one.restore(record);
  t.deepEqual([one.calls, one.rejected, one.since], [2, 1, 1]);
});
