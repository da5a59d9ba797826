/** Requests to the control API, and what it answers. */
import { type ControlCase, sourceCases } from "./source-cases.js";
import { type ControlFixture, generation, plan, pluginStatus } from "./subjects.js";

const text = 'hook "a" {\n  tmeout = 1s\n}\n';
const diagnostic = {
  code: "E301",
  severity: "error",
  message: "`hook` has no attribute `tmeout`",
  location: { file: "main.reeve", start: 13, end: 19 },
  help: "did you mean `timeout`?",
  related: [{ location: { file: "main.reeve", start: 0, end: 4 }, message: "in this block" }],
} as const;
const sources = new Map([
  ["main.reeve", { path: "main.reeve", text }],
  ["other.reeve", { path: "other.reeve", text: "" }],
]);

function broken(stage: ControlFixture): void {
  const failed = generation(2, {
    state: "rejected",
    diagnostics: [diagnostic],
    reason: "The configuration has 1 error.",
  });
  stage.outcome = { generation: failed, sources };
  stage.history = [failed];
  stage.planned = { plan: undefined, diagnostics: [diagnostic], sources };
}

const starting = (stage: ControlFixture): void => {
  stage.history = [];
};
const draining = (stage: ControlFixture): void => {
  stage.draining = true;
};

export const controlCases: Readonly<Record<string, ControlCase>> = {
  "status tells everything at once": {
    route: "GET /v1/status",
    status: 200,
    has: {
      version: "0.1.0",
      pid: process.pid,
      state: "running",
      control: "/placeholder",
      staleSeconds: 0,
      runs: {
        queued: 0,
        running: 1,
        succeeded: 1,
        failed: 1,
        timed_out: 0,
        cancelled: 0,
        interrupted: 0,
      },
      listeners: [{ address: "127.0.0.1:9000", prefixes: ["/hooks"] }],
    },
  },
  "before the first commit the daemon is starting": {
    route: "GET /v1/status",
    given: starting,
    status: 200,
    has: { state: "starting" },
  },
  "what runs is not what is on disk": {
    route: "GET /v1/status",
    given: (stage) => {
      stage.degraded = { reason: "main.reeve has 1 error.", since: 990_000 };
    },
    status: 200,
    has: { state: "degraded", degraded: { reason: "main.reeve has 1 error." }, staleSeconds: 10 },
  },
  "a plugin in quarantine degrades the daemon": {
    route: "GET /v1/status",
    given: (stage) => {
      const failure = { reason: "it threw", at: 1 };
      stage.plugins = [pluginStatus({ state: "quarantined", failure })];
    },
    status: 200,
    has: { state: "degraded", degraded: { reason: "The plugin `hooks` is quarantined: it threw" } },
  },
  "a daemon that stops says so": {
    route: "GET /v1/status",
    given: draining,
    status: 200,
    has: { state: "draining" },
  },
  "lines of the log": { route: "GET /v1/logs", path: "/v1/logs?since=4", status: 200 },
  "plugins are listed": { route: "GET /v1/plugins", status: 200 },
  "a plugin is restarted": {
    route: "POST /v1/plugins/{id}/restart",
    path: "/v1/plugins/hooks/restart",
    status: 200,
    has: { id: "hooks" },
    calls: ["restart hooks"],
  },
  "a plugin is released": {
    route: "POST /v1/plugins/{id}/release",
    path: "/v1/plugins/hooks/release",
    status: 200,
    calls: ["release hooks"],
  },
  "a plugin that is not in use cannot be restarted": {
    route: "POST /v1/plugins/{id}/restart",
    path: "/v1/plugins/nope/restart",
    status: 404,
    has: { code: "not_found", detail: "No plugin called `nope` is in use." },
    calls: [],
  },
  "panels are data": { route: "GET /v1/panels", status: 200 },
  "diagnostics of the past point into the texts of their generation": {
    route: "GET /v1/generations/{number}",
    path: "/v1/generations/2",
    given: broken,
    status: 200,
    has: { diagnostics: [{ code: "E301", range: { start: { line: 2, column: 3 } } }] },
  },
  "generations are listed without plans": {
    route: "GET /v1/generations",
    path: "/v1/generations?limit=1",
    given: (stage) => {
      stage.history = [generation(2), generation(1)];
    },
    status: 200,
    has: { generations: [{ ...generation(2), plan: undefined }] },
  },
  "a generation has its plan": {
    route: "GET /v1/generations/{number}",
    path: "/v1/generations/1",
    status: 200,
    has: { number: 1, plan },
  },
  "a generation that never was": {
    route: "GET /v1/generations/{number}",
    path: "/v1/generations/7",
    status: 404,
    has: { detail: "There is no generation 7 in the history." },
  },
  "runs come without output, and say where the next page begins": {
    route: "GET /v1/runs",
    path: "/v1/runs?limit=2",
    status: 200,
    has: { next: "r2" },
  },
  "runs are filtered": { route: "GET /v1/runs", path: "/v1/runs?state=running", status: 200 },
  "a run comes with its output": {
    route: "GET /v1/runs/{id}",
    path: "/v1/runs/r1",
    status: 200,
    has: { id: "r1", output: { text: "hello", bytes: 5, omitted: 0 } },
  },
  "a run that is not kept": {
    route: "GET /v1/runs/{id}",
    path: "/v1/runs/r9",
    status: 404,
    has: { detail: "There is no run `r9`, or its record is not kept any more." },
  },
  "a plan has no effect": { route: "POST /v1/plan", status: 200, has: { plan }, calls: [] },
  "a plan of a faulty configuration is its faults, with their texts": {
    route: "POST /v1/plan",
    given: broken,
    status: 409,
    has: { detail: "The configuration has 1 error.", sources: { "main.reeve": text } },
  },
  "a reload says what it came to": {
    route: "POST /v1/reload",
    status: 200,
    has: { diagnostics: [], sources: {} },
    calls: ["reload request"],
  },
  "a reload of a faulty configuration says what is wrong and where": {
    route: "POST /v1/reload",
    given: broken,
    status: 409,
    has: {
      code: "configuration_rejected",
      sources: { "main.reeve": text },
      diagnostics: [
        {
          code: "E301",
          severity: "error",
          message: "`hook` has no attribute `tmeout`",
          file: "main.reeve",
          range: {
            start: { line: 2, column: 3, offset: 13 },
            end: { line: 2, column: 9, offset: 19 },
          },
          help: "did you mean `timeout`?",
          related: [
            {
              file: "main.reeve",
              range: {
                start: { line: 1, column: 1, offset: 0 },
                end: { line: 1, column: 5, offset: 4 },
              },
              message: "in this block",
            },
          ],
        },
      ],
    },
  },
  "a generation that went unhealthy was not taken over": {
    route: "POST /v1/reload",
    given: (stage) => {
      const reason = "hooks went unhealthy.";
      const outcome = generation(2, { state: "rolled_back", reason });
      stage.outcome = { generation: outcome, sources };
    },
    status: 409,
    has: { detail: "hooks went unhealthy." },
  },
  "going back": {
    route: "POST /v1/rollback",
    body: { generation: 1 },
    status: 200,
    calls: ["rollback 1"],
  },
  "going back to what never was": {
    route: "POST /v1/rollback",
    body: { generation: 9 },
    status: 404,
    calls: [],
  },
  "a copy of the state": {
    route: "POST /v1/backup",
    body: { to: "/backup" },
    status: 200,
    has: { to: "/backup", files: 1, bytes: 7 },
    calls: ["backUp /backup"],
  },
  ...sourceCases,
  "the process answers": { route: "GET /healthz", status: 200, has: { status: "ok" } },
  "a running configuration is ready": {
    route: "GET /readyz",
    status: 200,
    has: { ready: true, reasons: [] },
  },
  "who stops is not ready": {
    route: "GET /readyz",
    given: draining,
    status: 503,
    has: { ready: false, reasons: ["The daemon is stopping."] },
  },
  "who has not begun is not ready": {
    route: "GET /readyz",
    given: starting,
    status: 503,
  },
  "metrics are text": { route: "GET /metrics", status: 200 },
};
