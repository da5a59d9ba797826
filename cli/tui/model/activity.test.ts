/** The last hour of each block, and what the newest runs say. */
import test from "ava";
import type { RunSummary } from "../../../daemon/http/control/api.js";
import { NOW, runSummary } from "../../testing/samples.js";
import { activities, digestOf, runsPerMinute } from "./activity.js";

const MINUTE = 60_000;
/** The end of a quarter of an hour, where a cell of 15 minutes ends. */
const END = Math.ceil(NOW / (15 * MINUTE)) * 15 * MINUTE;
let ids = 0;

function run(subject: string, state: RunSummary["state"], age: number, took = 10): RunSummary {
  ids += 1;
  const startedAt = state === "queued" ? undefined : END - age;
  const isOver = state !== "queued" && state !== "running";
  return {
    ...runSummary,
    ...{ id: `r-${ids}`, subject, state, queuedAt: END - age, startedAt },
    finishedAt: isOver ? END - age + took : undefined,
  };
}

const strip = (all: ReturnType<typeof activities>) =>
  all.map(({ subject, runs, cells }) => [
    subject,
    runs,
    cells.map(({ runs: count, worst }) => (worst ? `${count}${worst}` : "")).join(","),
  ]);

test("runs are counted in the cell of their start, and the worst state of a cell wins", (t) => {
  const runs = [
    run("hook.b", "running", 1000),
    run("hook.a", "succeeded", 2 * MINUTE),
    run("hook.a", "timed_out", 2 * MINUTE),
    run("hook.a", "failed", 2 * MINUTE + 1),
    run("hook.a", "succeeded", 20 * MINUTE),
    run("hook.a", "failed", 61 * MINUTE),
  ];
  t.deepEqual(strip(activities(runs, END, 4)), [
    ["hook.a", 4, ",,1succeeded,3failed"],
    ["hook.b", 1, ",,,1running"],
  ]);
  t.deepEqual(runsPerMinute(activities(runs, END, 4)), [0, 0, 1, 4]);
  t.deepEqual(activities([], NOW, 60), []);
});

test("a run that waited long is where it started", (t) => {
  const late = { ...run("hook.a", "succeeded", 90 * MINUTE), startedAt: END - 5 * MINUTE };
  t.deepEqual(strip(activities([late], END, 2)), [["hook.a", 1, ",1succeeded"]]);
});

test("a run stays in its cell while time passes within it", (t) => {
  const runs = [run("hook.a", "succeeded", 30 * MINUTE + 1)];
  const at = (now: number) =>
    activities(runs, now, 60)[0]?.cells.findIndex(({ runs: count }) => count > 0);
  t.is(at(END - 59_999), at(END));
  t.is(at(END + 1), (at(END) ?? 0) - 1);
});

test("what runs comes before what waits, and the oldest first", (t) => {
  const [young, old, waits] = [
    run("hook.a", "running", 10),
    run("hook.a", "running", 99),
    run("hook.a", "queued", 500),
  ] as const;
  t.deepEqual(digestOf([young, waits, old]).active, [old, young, waits]);
});

test("the usual duration is the median of successful runs", (t) => {
  const runs = [
    ...[30, 10, 20].map((took) => run("hook.a", "succeeded", MINUTE, took)),
    run("hook.a", "failed", MINUTE, 9999),
    run("hook.b", "running", 10),
  ];
  const { usualDuration, failed } = digestOf(runs);
  t.is(usualDuration("hook.a"), 20);
  t.is(usualDuration("hook.b"), undefined);
  t.is(failed.length, 1);
  t.is(digestOf(runs), digestOf(runs));
});
