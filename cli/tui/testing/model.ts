/** A model that could be real, to start from. */
import type { DaemonEvent, Panel, PluginStatus } from "../../../daemon/http/control/api.js";
import {
  generation,
  generationDetail,
  NOW,
  plugin,
  run,
  runSummary,
  status,
} from "../../testing/samples.js";
import { emptyModel, type Model } from "../model/model.js";

const hooksPanel: Panel = {
  kind: "table",
  id: "hooks",
  title: "Hooks",
  columns: [
    { id: "hook", title: "Hook" },
    { id: "calls", title: "Calls", format: "number" },
    { id: "p95", title: "p95", format: "duration", priority: 3 },
    { id: "rejected", title: "Rejected", format: "number", priority: 2 },
    { id: "waiting", title: "Waiting", format: "number", priority: 1 },
    { id: "state", title: "State", format: "state" },
  ],
  rows: [
    { hook: "deploy", calls: 30, p95: 3400, rejected: 10, waiting: 2, state: "failed" },
    { hook: "build", calls: 4, p95: 12, rejected: 0, waiting: 1, state: "succeeded" },
  ],
};

/** Of a plugin that nobody has heard of, with a panel of every kind. */
const weather: readonly Panel[] = [
  {
    kind: "values",
    id: "now",
    title: "Now",
    entries: [
      { name: "sky", value: "clear" },
      { name: "sensor", value: "failed", format: "state" },
      { name: "memory", value: 2048, format: "size" },
    ],
  },
  {
    kind: "series",
    id: "wind",
    title: "Wind",
    interval: 1000,
    series: [
      { name: "gusts", points: [1, 2, 4, 8] },
      { name: "mean", points: [1, 1, 2, 2] },
    ],
  },
  {
    kind: "table",
    id: "stations",
    title: "Stations",
    columns: [{ id: "name", title: "Name" }],
    rows: [{ name: "north" }],
    omitted: 3,
  },
  {
    kind: "log",
    id: "log",
    title: "Log",
    lines: [{ at: NOW - 1000, level: "warn", text: "rain\nis coming" }],
  },
];

export const weatherPlugin: PluginStatus = {
  ...plugin,
  id: "weather",
  title: "Weather",
  isolation: "process",
  pid: 812,
  heap: 20 * 1024 * 1024,
  cpu: 0.04,
  state: "quarantined",
  health: { state: "failed", reason: "The station does not answer." },
  failure: { reason: "The station does not answer.", at: NOW - 2000 },
};

const event = (sequence: number, type: string, data: DaemonEvent["data"]): DaemonEvent => ({
  sequence,
  at: NOW - 1000 * (100 - sequence),
  type,
  plugin: "hooks",
  data,
});

export const model: Model = {
  ...emptyModel,
  now: NOW,
  status: { ...status, plugins: [plugin, weatherPlugin] },
  runs: [
    { ...runSummary, id: "r-0003", state: "running", finishedAt: undefined, reason: undefined },
    {
      ...runSummary,
      id: "r-0002",
      subject: "hook.build",
      state: "succeeded",
      exitCode: 0,
      reason: undefined,
    },
    runSummary,
    { ...runSummary, id: "r-0000", kind: "sandbox", subject: "sandbox.tests" },
  ],
  run,
  generations: [
    { ...generation, number: 13, state: "rejected", reason: "main.reeve has an error." },
    generation,
    { ...generation, number: 11, state: "superseded", at: NOW - 3_600_000 },
  ],
  generation: generationDetail,
  panels: [
    { plugin: "hooks", panels: [hooksPanel] },
    { plugin: "weather", panels: weather },
  ],
  events: [
    event(12, "hook.finished", { hook: "deploy", state: "failed" }),
    event(11, "run.started", { id: "r-0003" }),
    event(10, "config.reloaded", { generation: 12 }),
  ],
  rates: { all: [0, 1, 2, 4], of: new Map([["hooks", [0, 1, 2, 4]]]) },
  pending: {
    sources: { "/etc/reeve/main.reeve": 'hook "x" {\n  tiemout = 3s\n}\n' },
    diagnostics: [
      {
        code: "unknown_attribute",
        severity: "error",
        message: "There is no `tiemout` here.",
        file: "/etc/reeve/main.reeve",
        range: {
          start: { line: 2, column: 3, offset: 13 },
          end: { line: 2, column: 10, offset: 20 },
        },
      },
    ],
  },
};
