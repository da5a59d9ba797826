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

/** An unknown plugin with a panel of every kind. */
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

const weatherPlugin: PluginStatus = {
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

const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

export const updates = {
  repos: [{ name: "acme/site" }, { name: "acme/docs" }],
  configs: [
    {
      ...{ id: 1, repo: "acme/site", "package-manager": "npm_and_yarn", directory: "/" },
      ...{ "update-schedule": "daily", "last-run-at": ago(120), "next-run-at": ago(-3 * 3600) },
      trouble: null,
    },
  ],
  jobs: [
    {
      ...{ id: 9, repo: "acme/site", config: 1, trigger: "schedule", state: "running" },
      ...{ reason: null, "started-at": ago(5), "finished-at": null, outcomes: [] },
      stage: { name: "looking up versions", done: 32, of: 64 },
      log: [{ at: NOW - 4000, text: "looking up versions, 64 in all" }],
    },
    {
      ...{ id: 8, repo: "acme/site", config: 1, trigger: "created", state: "succeeded" },
      ...{ reason: null, "started-at": ago(125), "finished-at": ago(120) },
      outcomes: [
        { name: "left-foo", kind: "pull_request", from: "1.0.0", to: "1.1.0", pull: 41, number: 4 },
        { name: "right-foo", kind: "failed", from: "2.0.0", why: "The registry did not answer." },
      ],
    },
  ],
  pulls: [
    {
      ...{ id: 4, repo: "acme/site", number: 4, title: "Bump left-foo from 1.0.0 to 1.1.0" },
      ...{ state: "open", checks: "pending", automerge: "waiting", note: null, security: true },
      ...{ "automerge-reason": "a minor update", "created-at": ago(120), "updated-at": ago(60) },
      body: "A release.",
      dependencies: [{ name: "left-foo", from: "1.0.0", to: "1.1.0", "update-type": "minor" }],
    },
  ],
};

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
    event(11, "run.running", { id: "r-0003", subject: "hook.build" }),
    event(10, "config.reloaded", { generation: 12 }),
  ],
  data: { updates },
  logs: [
    {
      ...{ sequence: 1, at: NOW - 500, level: "error", plugin: "weather" },
      ...{ message: "The station does not answer.", fields: { attempt: 3 } },
    },
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
