/** A daemon with much to see: full lists on every screen. */
import type { DaemonEvent, RunSummary } from "../../../daemon/http/control/api.js";
import { NOW, run, runSummary } from "../../testing/samples.js";
import type { Model } from "../model/model.js";
import { model } from "./model.js";

const NAMES = [
  ...["build", "deploy", "tests", "backup", "report", "lint"],
  ...["preview", "publish", "sync", "mirror", "rotate-keys", "invalidate-cache"],
] as const;
const STATES = ["succeeded", "succeeded", "succeeded", "failed", "succeeded", "timed_out"] as const;

const at = <Each>(all: readonly [Each, ...Each[]], index: number): Each =>
  all[index % all.length] ?? all[0];

const runs = Array.from({ length: 120 }, (__, index): RunSummary => {
  const state = index === 0 ? "running" : at(STATES, index);
  const name = at(NAMES, index);
  const startedAt = NOW - index * 29_000 - 4000;
  const { finishedAt: _, ...rest } = runSummary;
  return {
    ...rest,
    ...{ id: `01m8fr${String(1000 - index).padStart(4, "0")}0000p1f6`, state },
    kind: index % 10 === 9 ? "sandbox" : "hook",
    subject: index % 10 === 9 ? "sandbox.fence" : `hook.${name}`,
    queuedAt: startedAt - 12,
    startedAt,
    ...(index > 0 && { finishedAt: startedAt + 900 + ((index * 731) % 9000) }),
    trigger: `POST /hooks/${name} from 203.0.113.${index}`,
    reason: state === "failed" ? "The command ended with status 1." : undefined,
    output: { bytes: 1800, omitted: 0 },
  } as RunSummary;
});

const events = Array.from({ length: 150 }, (_, index): DaemonEvent => {
  const hook = at(NAMES, index);
  const state = at(STATES, index);
  const sequence = 500 - index;
  const data =
    index % 2 === 0
      ? { hook, state, duration: 900 + index, trigger: `POST /hooks/${hook}` }
      : { id: runs[index]?.id, subject: `hook.${hook}` };
  const type = index % 2 === 0 ? "hook.finished" : "run.running";
  return { ...{ sequence, at: NOW - index * 1500, plugin: "hooks" }, type, data };
});

const hookTable = {
  kind: "table",
  id: "hooks",
  title: "Hooks",
  columns: [
    { id: "hook", title: "Hook" },
    { id: "calls", title: "Calls", format: "number" },
    { id: "p50", title: "p50", format: "duration", priority: 2 },
    { id: "p95", title: "p95", format: "duration", priority: 3 },
    { id: "rejected", title: "Rejected", format: "number", priority: 2 },
    { id: "state", title: "State", format: "state" },
  ],
  rows: NAMES.map((hook, index) => ({
    ...{ hook, calls: 40 - index, p50: 900, p95: 3400 + index, rejected: index },
    state: at(STATES, index),
  })),
} as const;

const lines = Array.from(
  { length: 40 },
  (_, index) => `step ${index + 1} of 40: copied ${index * 31} files to /srv/site`,
);

const allowed = Array.from({ length: 120 }, (_, index) => 20 + ((index * 7) % 13));

export const busyModel: Model = {
  ...model,
  runs,
  events,
  run: {
    ...run,
    ...runs[0],
    output: { text: `${lines.join("\n")}\n`, bytes: 1800, omitted: 0 },
  } as Model["run"],
  generations: Array.from({ length: 60 }, (_, index) => ({
    ...(model.generations[1] ?? model.generations[0]),
    ...{ number: 12 - index, state: index === 0 ? "committed" : "superseded" },
    at: NOW - index * 60_000,
  })) as unknown as Model["generations"],
  panels: [
    { plugin: "hooks", panels: [hookTable] },
    {
      plugin: "weather",
      panels: [
        {
          ...{ kind: "series", id: "wind", title: "Wind", interval: 1000 },
          series: [
            { name: "gusts", points: allowed },
            { name: "mean", points: allowed.map((point) => point / 2) },
          ],
        },
      ],
    },
  ],
  logs: Array.from({ length: 60 }, (_, index) => ({
    ...{ sequence: 60 - index, at: NOW - index * 4000, level: "info", plugin: "hooks" },
    ...{ message: `Copied ${index} files to /srv/site`, fields: { attempt: index } },
  })) as Model["logs"],
  rates: { all: allowed, of: new Map([["hooks", allowed]]) },
};
