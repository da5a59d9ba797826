/** A daemon's parts as the control API sees them, with as much life as a test needs. */
import type { Plan } from "../../config/program.js";
import { ReeveError } from "../../errors.js";
import type { PluginHost, PluginStatus } from "../../host/contract.js";
import type { RunRecord, RunState } from "../../plugin-api/state.js";
import type { Generation, Reloader } from "../../reload/contract.js";
import type { DaemonEvent, DaemonServices, EventBus } from "../../services/contract.js";
import { FakeClock } from "../../services/fake-clock.js";
import type { SourceActions } from "../../source/contract.js";
import type { ControlDependencies } from "../control/status.js";
import { KeptLog } from "./kept-log.js";

/** Keeps the newest `kept` events. */
export class Bus implements EventBus {
  sequence = 0;
  readonly #listeners = new Set<(event: DaemonEvent) => void>();
  readonly #kept: number;
  #events: DaemonEvent[] = [];

  constructor(kept = 1000) {
    this.#kept = kept;
  }
  get listeners(): number {
    return this.#listeners.size;
  }
  emit(type: string, data = {}, plugin?: string): void {
    this.sequence += 1;
    const own = plugin === undefined ? {} : { plugin };
    const event = { sequence: this.sequence, at: 0, type, ...own, data };
    this.#events = [...this.#events, event].slice(-this.#kept);
    for (const listener of this.#listeners) listener(event);
  }
  since(sequence: number): readonly DaemonEvent[] | undefined {
    if (sequence < this.sequence - this.#events.length) return undefined;
    return this.#events.filter((event) => event.sequence > sequence);
  }
  subscribe(listener: (event: DaemonEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  scoped(): EventBus {
    return this;
  }
}

export function pluginStatus(change: Partial<PluginStatus> = {}): PluginStatus {
  return {
    id: "hooks",
    title: "Hooks",
    version: "1.0.0",
    namespace: undefined,
    state: "running",
    since: 5,
    isolation: "inline",
    permissions: {},
    health: { state: "healthy" },
    blocks: 2,
    restarts: 0,
    ...change,
  };
}

export const plan: Plan = {
  changes: [{ key: "hook.a", plugin: "hooks", action: "added", reasons: [] }],
  needsRestart: [],
  summary: { unchanged: 0, updated: 0, replaced: 0, added: 1, removed: 0 },
};

export function generation(number: number, change: Partial<Generation> = {}): Generation {
  return {
    number,
    state: "committed",
    trigger: "boot",
    sourceHash: "ab",
    at: 10,
    duration: 3,
    summary: plan.summary,
    plan,
    diagnostics: [],
    ...change,
  };
}

export function runRecord(id: string, state: RunState = "succeeded"): RunRecord {
  return {
    id,
    kind: "hook",
    subject: "hook.a",
    state,
    trigger: "POST /hooks/a",
    generation: 1,
    queuedAt: 1,
    startedAt: 2,
    finishedAt: 3,
    exitCode: 0,
    signal: undefined,
    reason: undefined,
    detail: { a: 1 },
    output: { text: "hello", bytes: 5, omitted: 0 },
  };
}

const states: readonly RunState[] = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "interrupted",
];

/** Parts that a test changes as it likes. */
export interface ControlFixture {
  plugins: PluginStatus[];
  history: Generation[];
  runs: RunRecord[];
  draining: boolean;
  /** Whether a git repository is followed. */
  followed: boolean;
  degraded: Reloader["degraded"];
  database: ReturnType<DaemonServices["database"]>;
  /** What was asked of the host and the reloader. */
  readonly calls: string[];
  readonly bus: Bus;
  readonly clock: FakeClock;
  readonly log: KeptLog;
  outcome: Awaited<ReturnType<Reloader["reload"]>>;
  planned: Awaited<ReturnType<Reloader["plan"]>>;
}

export function scene(): ControlFixture {
  const first = generation(1);
  return {
    plugins: [pluginStatus()],
    history: [first],
    runs: [runRecord("r3", "running"), runRecord("r2"), runRecord("r1", "failed")],
    draining: false,
    followed: false,
    degraded: undefined,
    database: undefined,
    calls: [],
    bus: new Bus(),
    clock: new FakeClock(1_000_000),
    log: new KeptLog(),
    outcome: { generation: first, sources: new Map() },
    planned: { plan, diagnostics: [], sources: new Map() },
  };
}

function sourceOf({ calls }: ControlFixture): SourceActions {
  const commit = "0".repeat(40);
  return {
    status: () => ({ url: "https://a.example/b.git", branch: "main", path: "", commit }),
    poll: async () => void calls.push("source poll"),
    retry: async () => void calls.push("source retry"),
    resume: async () => void calls.push("source resume"),
    pause: async (duration) => void calls.push(`source pause ${duration}`),
    accept: async (wanted) => {
      if (!commit.startsWith(wanted)) throw new ReeveError("not_the_newest", "It is not.");
      calls.push(`source accept ${wanted}`);
    },
  };
}

/** Only what the control API uses is there; using anything else fails the test. */
export function subjects(stage: ControlFixture, control: string): ControlDependencies {
  const kit: Pick<
    DaemonServices,
    | "log"
    | "logLines"
    | "clock"
    | "events"
    | "metrics"
    | "runs"
    | "database"
    | "damage"
    | "backUp"
    | "conditions"
  > = {
    log: stage.log,
    database: () => stage.database,
    damage: () => [],
    backUp: async (to, version) => {
      if (to === "/taken") throw new ReeveError("backup_failed", "Cannot write the backup /taken.");
      stage.calls.push(`backUp ${to}`);
      const sha256 = "0".repeat(64);
      return { format: 1, version, at: 1, files: [{ path: "reeve.db", size: 7, sha256 }] };
    },
    conditions: { list: () => [], report: () => undefined },
    logLines: {
      since: (sequence) => [
        {
          sequence: sequence + 1,
          at: 1,
          level: "warn",
          plugin: "hooks",
          message: "odd",
          fields: { a: 1 },
        },
      ],
    },
    clock: stage.clock,
    events: stage.bus,
    metrics: {
      scoped: () => {
        throw new Error("not here");
      },
      text: async () => "reeve_up 1\n",
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    },
    runs: {
      get: async (id) => stage.runs.find((run) => run.id === id),
      list: async ({ state, limit = 50, before } = {}) => {
        const after = stage.runs.findIndex(({ id }) => id === before) + 1;
        return stage.runs
          .slice(after)
          .filter((run) => state === undefined || run.state === state)
          .slice(0, limit);
      },
      unseen: undefined,
      counts: async () => {
        const counted = states.map((state) => [
          state,
          stage.runs.filter((run) => run.state === state).length,
        ]);
        return Object.fromEntries(counted) as Record<RunState, number>;
      },
      scoped: () => {
        throw new Error("not here");
      },
    },
  };
  const host: Pick<PluginHost, "status" | "panels" | "restart" | "release"> = {
    status: () => stage.plugins,
    panels: async () => [
      {
        plugin: "hooks",
        panels: [
          {
            id: "calls",
            title: "Calls",
            kind: "table",
            columns: [{ id: "hook", title: "Hook" }],
            rows: [{ hook: "deploy" }],
          },
          { id: "log", title: "Log", kind: "log", lines: [{ at: 1, level: "info", text: "x" }] },
        ],
      },
    ],
    restart: async (id) => void stage.calls.push(`restart ${id}`),
    release: async (id) => void stage.calls.push(`release ${id}`),
  };
  const reloader: Omit<Reloader, "program"> = {
    get current() {
      return stage.history[0];
    },
    get degraded() {
      return stage.degraded;
    },
    history: async (limit = 50) => stage.history.slice(0, limit),
    sources: async () => stage.outcome.sources,
    reload: async (trigger) => {
      stage.calls.push(`reload ${trigger}`);
      return stage.outcome;
    },
    plan: async () => stage.planned,
    rollback: async (number) => {
      stage.calls.push(`rollback ${number}`);
      return stage.outcome;
    },
  };
  return {
    kit: kit as DaemonServices,
    host: host as PluginHost,
    reloader: reloader as Reloader,
    listeners: {
      claim: () => Promise.reject(new Error("not here")),
      list: () => [{ address: "127.0.0.1:9000", prefixes: ["/hooks"] }],
      own: () => ["127.0.0.1:9000"],
      close: async () => undefined,
    },
    identity: {
      version: "0.1.0",
      startedAt: 900_000,
      root: "/etc/reeve/main.reeve",
      control,
      stateDirectory: "/var/lib/reeve",
    },
    draining: () => stage.draining,
    source: stage.followed ? sourceOf(stage) : undefined,
  };
}
