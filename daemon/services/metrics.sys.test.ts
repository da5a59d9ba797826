import test from "ava";
import { contextOf, kitFor, Lines } from "./testing/services.js";

const linesOf = (text: string, name: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(name));

test("metrics carry their plugin's name", async (t) => {
  const kit = await kitFor(t);
  const { metrics } = (await contextOf(kit, "my-hooks")).context;
  const calls = metrics.counter("calls_total", "Calls.", ["outcome"]);
  calls.add(2, { outcome: "ok" });
  calls.add(undefined, { outcome: "ok" });
  const size = metrics.gauge("queue", "Waiting.");
  size.set(5);
  metrics.histogram("time_seconds", "Time.", { buckets: [1, 2] }).observe(1.5);
  const text = await kit.metrics.text();
  t.true(text.includes("# HELP reeve_my_hooks_calls_total Calls."));
  t.deepEqual(linesOf(text, "reeve_my_hooks_calls"), [
    'reeve_my_hooks_calls_total{outcome="ok"} 3',
  ]);
  t.deepEqual(linesOf(text, "reeve_my_hooks_queue"), ["reeve_my_hooks_queue 5"]);
  t.deepEqual(linesOf(text, "reeve_my_hooks_time"), [
    'reeve_my_hooks_time_seconds_bucket{le="1"} 0',
    'reeve_my_hooks_time_seconds_bucket{le="2"} 1',
    'reeve_my_hooks_time_seconds_bucket{le="+Inf"} 1',
    "reeve_my_hooks_time_seconds_sum 1.5",
    "reeve_my_hooks_time_seconds_count 1",
  ]);
  t.true(kit.metrics.contentType.startsWith("text/plain"));
});

test("declared again it is the same metric, declared otherwise it is an error", async (t) => {
  const kit = await kitFor(t);
  const { metrics } = (await contextOf(kit, "a")).context;
  metrics.counter("x_total", "X.", ["l"]).add(1, { l: "1" });
  metrics.counter("x_total", "X.", ["l"]).add(1, { l: "1" });
  t.deepEqual(linesOf(await kit.metrics.text(), "reeve_a_x"), ['reeve_a_x_total{l="1"} 2']);
  t.throws(() => metrics.counter("x_total", "X."), { code: "metric_conflict" });
  t.throws(() => metrics.gauge("x_total", "X.", ["l"]), { code: "metric_conflict" });
  t.throws(() => metrics.gauge("Bad-Name", "X."), { code: "metric_invalid" });
});

test("a bad observation is dropped, and said once", async (t) => {
  const lines = new Lines();
  const kit = await kitFor(t, { logStream: lines });
  const { metrics } = (await contextOf(kit, "a")).context;
  const gauge = metrics.gauge("x", "X.", ["id"]);
  gauge.set(Number.NaN, { id: "1" });
  for (let count = 0; count < 3; count++) gauge.set(1, { other: "1" });
  for (let count = 0; count < 1500; count++) gauge.set(1, { id: String(count) });
  t.is(linesOf(await kit.metrics.text(), "reeve_a_x{").length, 1000);
  t.is(lines.all.filter(({ level }) => level === "warn").length, 3);
  gauge.remove({ id: "0" });
  gauge.set(1, { id: "late" });
  t.true((await kit.metrics.text()).includes('reeve_a_x{id="late"} 1'));
});

test("metrics go with their plugin, unless its successor has declared them", async (t) => {
  const kit = await kitFor(t);
  const old = await contextOf(kit, "a");
  old.context.metrics.gauge("gone", "X.").set(1);
  old.context.metrics.gauge("kept", "X.").set(1);
  const next = await contextOf(kit, "a");
  next.context.metrics.gauge("kept", "X.").set(2);
  await old.dispose();
  t.deepEqual(linesOf(await kit.metrics.text(), "reeve_a_"), ["reeve_a_kept 2"]);
});

test("the daemon's own process is measured", async (t) => {
  const text = await (await kitFor(t)).metrics.text();
  for (const name of [
    "cpu_seconds_total",
    "resident_memory_bytes",
    "heap_bytes",
    "start_time_seconds",
    "event_loop_lag_seconds",
  ]) {
    const [line] = linesOf(text, `reeve_process_${name} `);
    t.true(Number(line?.split(" ")[1]) > 0, name);
  }
});
