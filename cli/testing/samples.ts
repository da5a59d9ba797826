/** Answers of a daemon that could be real, to start from. */
import type {
  GenerationDetail,
  GenerationSummary,
  PluginStatus,
  RunRecord,
  RunSummary,
  SnapshotLine,
  Status,
} from "../../daemon/http/control/api.js";

/** Local time, so that what people read does not depend on where the test runs. */
export const NOW = new Date(2026, 10, 21, 14, 2, 11).getTime();

export const plugin: PluginStatus = {
  id: "hooks",
  title: "Hooks",
  version: "1.2.0",
  namespace: undefined,
  state: "running",
  since: NOW - 60_000,
  isolation: "inline",
  permissions: { exec: true, listen: ["127.0.0.1:9000"] },
  health: { state: "healthy" },
  blocks: 3,
  restarts: 0,
};

export const generation: GenerationSummary = {
  number: 12,
  state: "committed",
  trigger: "edit",
  sourceHash: "5f3a",
  git: { commit: "3b1f2c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", dirty: true },
  at: NOW - 120_000,
  duration: 84,
  summary: { unchanged: 4, updated: 1, replaced: 0, added: 2, removed: 0 },
  diagnostics: [],
};

export const generationDetail: GenerationDetail = {
  ...generation,
  plan: {
    changes: [
      {
        key: "hook.deploy",
        plugin: "hooks",
        action: "updated",
        reasons: [{ path: "timeout", reload: "live", before: "1m", after: "2m" }],
      },
      { key: "hook.build", plugin: "hooks", action: "added", reasons: [] },
      { key: "hook.site", plugin: "hooks", action: "unchanged", reasons: [] },
    ],
    needsRestart: [],
    summary: { unchanged: 1, updated: 1, replaced: 0, added: 1, removed: 0 },
  },
};

export const status: Status = {
  version: "0.1.0",
  pid: 4711,
  startedAt: NOW - 3 * 86_400_000,
  now: NOW,
  state: "running",
  root: "/etc/reeve/main.reeve",
  control: "/run/reeve/control.sock",
  stateDirectory: "/var/lib/reeve",
  generation,
  conditions: [],
  staleSeconds: 0,
  plugins: [plugin],
  listeners: [{ address: "127.0.0.1:9000", prefixes: ["/hooks"] }],
  runs: {
    queued: 0,
    running: 1,
    succeeded: 40,
    failed: 2,
    timed_out: 0,
    cancelled: 0,
    interrupted: 0,
  },
  process: {
    rss: 88 * 1024 * 1024,
    heap: 30 * 1024 * 1024,
    loopLag: { median: 0.4, max: 3.1 },
    node: "26.10.0",
  },
};

export const run: RunRecord = {
  id: "r-0001",
  kind: "hook",
  subject: "hook.deploy",
  state: "failed",
  trigger: "POST /hooks/deploy from 192.0.2.7",
  generation: 12,
  queuedAt: NOW - 65_000,
  startedAt: NOW - 64_000,
  finishedAt: NOW - 60_600,
  exitCode: 2,
  signal: undefined,
  reason: "The command ended with exit code 2.",
  detail: { argv: ["./deploy.sh"] },
  output: { text: "pulling\nno such branch\n", bytes: 23, omitted: 0 },
};

export const runSummary: RunSummary = { ...run, output: { bytes: 23, omitted: 0 } };

export const snapshot: SnapshotLine = {
  line: "snapshot",
  sequence: 7,
  boot: "b1",
  status,
  runs: [runSummary],
};
