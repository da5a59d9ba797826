/**
 * The control API as its clients see it: every request and every response, types only.
 *
 * HTTP and JSON on a unix socket. Times are milliseconds since the epoch, durations milliseconds, sizes bytes, unless a
 * name says otherwise. What is `undefined` here is absent in JSON. Every error is a `Problem`.
 *
 * | Request                          | Answer                                                        |
 * | -------------------------------- | ------------------------------------------------------------- |
 * | `GET /v1/status`                 | `Status`                                                      |
 * | `GET /v1/plugins`                | `PluginList`                                                  |
 * | `POST /v1/plugins/:id/restart`   | `PluginStatus`, 404                                           |
 * | `POST /v1/plugins/:id/release`   | `PluginStatus`, 404                                           |
 * | `GET /v1/generations`            | `GenerationList`; query: `GenerationQuery`                    |
 * | `GET /v1/generations/:number`    | `GenerationDetail`, 404                                       |
 * | `GET /v1/runs`                   | `RunList`; query: `RunQuery`                                  |
 * | `GET /v1/runs/:id`               | `HostedRun`, 404                                              |
 * | `GET /v1/panels`                 | `PanelList`                                                   |
 * | `POST /v1/plan`                  | `PlanResult`, 409 `ConfigurationProblem`                      |
 * | `POST /v1/reload`                | `ReloadResult`, 409 `ConfigurationProblem`                    |
 * | `POST /v1/rollback`              | `ReloadResult`, 404, 409 `ConfigurationProblem`; body: `RollbackRequest` |
 * | `POST /v1/backup`                | `BackupResult`, 409; body: `BackupRequest`                    |
 * | `GET /v1/source`                 | `SourceStatus`, 404                                           |
 * | `POST /v1/source`                | `SourceStatus`, 404, 409; body: `SourceRequest`               |
 * | `GET /v1/logs`                   | `LogList`; query: `LogQuery`                                  |
 * | `GET /v1/events`                 | NDJSON of `EventLine`, never ends; query: `EventQuery`        |
 * | `GET /v1/openapi.json`           | this table as OpenAPI 3.1                                     |
 * | `/v1/<plugin id>/…`              | what a plugin brings itself                                   |
 * | `GET /healthz`                   | `Alive`: the process answers                                  |
 * | `GET /readyz`                    | `Readiness`, 503 with the same body while not ready           |
 * | `GET /metrics`                   | Prometheus text exposition                                    |
 */
import type { JsonDiagnostic } from "../../../grammar/to-json.js";
import type { Plan } from "../../config/program.js";
import type { PluginStatus } from "../../host/contract.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { RunRecord, RunState } from "../../plugin-api/state.js";
import type { Generation } from "../../reload/contract.js";
import type {
  DaemonCondition,
  DaemonEvent,
  DatabaseState,
  HostedRun,
  LogLine,
} from "../../services/contract.js";

export type { JsonDiagnostic } from "../../../grammar/to-json.js";
export type { Plan } from "../../config/program.js";
export type { PluginStatus } from "../../host/contract.js";
export type { Panel } from "../../plugin-api/panel.js";
export type { RunRecord, RunState } from "../../plugin-api/state.js";
export type { DaemonEvent, HostedRun, LogLine } from "../../services/contract.js";
export type { SourceStatus } from "../../source/contract.js";

// ---------------------------------------------------------------- status

export type DaemonState =
  /** The first configuration is not committed yet. */
  | "starting"
  | "running"
  /** Runs, but not what is on disk, or a plugin is failed or quarantined. */
  | "degraded"
  /** Asked to end: nothing new is accepted, work in flight goes on. */
  | "draining";

/** All that `reeve status` shows. */
export interface Status {
  /** Of Reeve. */
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** The daemon's clock at the time of the answer. */
  readonly now: number;
  readonly state: DaemonState;
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  /** Absolute path of the control socket. */
  readonly control: string;
  /** Absolute path of what survives restarts. */
  readonly stateDirectory: string;
  /** What runs. Absent before the first commit. */
  readonly generation?: GenerationSummary;
  /** What runs is not what is on disk, or something does not do its job: one sentence. */
  readonly degraded?: { readonly reason: string };
  /** Faults of the daemon and its machine that last, the worst first. */
  readonly conditions: readonly DaemonCondition[];
  /** For how many seconds what runs has not been what is on disk; 0 while they agree. */
  readonly staleSeconds: number;
  /** What this daemon shares with others. Absent where it shares nothing. */
  readonly database?: DatabaseState;
  readonly plugins: readonly PluginStatus[];
  readonly listeners: readonly ListenerStatus[];
  readonly runs: RunCounts;
  readonly process: ProcessStatus;
}

export interface ListenerStatus {
  /** `127.0.0.1:9000`, `[::1]:9000` or `unix:/run/x.sock`, as bound. */
  readonly address: string;
  readonly prefixes: readonly string[];
}

/** Records that are kept, by state. */
type RunCounts = Readonly<Record<RunState, number>>;

export interface ProcessStatus {
  /** Bytes of memory in use: resident set and V8 heap. */
  readonly rss: number;
  readonly heap: number;
  /** Milliseconds that the event loop was late in the last seconds: in the median and at worst. */
  readonly loopLag: { readonly median: number; readonly max: number };
  /** The running Node's version, without `v`. */
  readonly node: string;
}

// ---------------------------------------------------------------- plugins

export interface PluginList {
  readonly plugins: readonly PluginStatus[];
}

export interface PanelList {
  readonly plugins: ReadonlyArray<{ readonly plugin: string; readonly panels: readonly Panel[] }>;
}

// ---------------------------------------------------------------- generations

/** One attempt to change what runs, without its plan. */
export interface GenerationSummary extends Omit<Generation, "plan" | "diagnostics"> {
  readonly diagnostics: readonly JsonDiagnostic[];
}

export interface GenerationDetail extends GenerationSummary {
  readonly plan?: Plan;
}

export interface GenerationQuery {
  /** @default 50, at most 200 */
  readonly limit?: number;
}

export interface GenerationList {
  /** Newest first. */
  readonly generations: readonly GenerationSummary[];
}

/** What was found in the configuration's text. */
export interface Findings {
  /** Warnings as well as errors. */
  readonly diagnostics: readonly JsonDiagnostic[];
  /** The text of every source that a diagnostic points into, by its name there: enough to show carets. */
  readonly sources: Readonly<Record<string, string>>;
}

export interface PlanResult extends Findings {
  readonly plan: Plan;
}

/** The configuration on disk is what runs now; `generation.state` says whether anything had to change. */
export interface ReloadResult extends Findings {
  readonly generation: GenerationDetail;
}

export interface RollbackRequest {
  /** The number of an earlier generation that ran. */
  readonly generation: number;
}

// ---------------------------------------------------------------- backup

export interface BackupRequest {
  /** Absolute path of a directory of the daemon's machine; it does not exist or is empty. @default one below the state directory */
  readonly to?: string;
}

export interface BackupResult {
  readonly to: string;
  readonly files: number;
  readonly bytes: number;
}

// ---------------------------------------------------------------- source

export interface SourceRequest {
  readonly action: "poll" | "retry" | "resume" | "pause" | "accept";
  /** For `pause`. */
  readonly duration?: number;
  /** For `accept`: the newest commit of a rewritten branch, twelve of its digits at least. */
  readonly commit?: string;
}

// ---------------------------------------------------------------- runs

/** A run without its request and its output, which `GET /v1/runs/:id` has. */
export interface RunSummary extends Omit<HostedRun, "output" | "request"> {
  readonly output: Omit<RunRecord["output"], "text">;
}

export interface RunQuery {
  /** `hook`, `sandbox`, `update`. */
  readonly kind?: string;
  /** A block's key: `hook.deploy`. */
  readonly subject?: string;
  readonly state?: RunState;
  /** Only of the daemon of this name, where several share a store. @default all of them */
  readonly host?: string;
  /** A run's id: only older ones, for paging. */
  readonly before?: string;
  /** @default 50, at most 1000 */
  readonly limit?: number;
}

export interface RunList {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** The value of `before` for the page after this one. Absent on the last page. */
  readonly next?: string;
  /** Why runs of other hosts are missing, in a sentence. */
  readonly unseen?: string;
}

// ---------------------------------------------------------------- logs

export interface LogQuery {
  /** Only lines after this number. @default 0, all that are kept */
  readonly since?: number;
}

export interface LogList {
  /** Oldest first, the newest 500 at most, of the level that the daemon logs and above. */
  readonly lines: readonly LogLine[];
  /** Names this life of the daemon: another one's numbers mean nothing. */
  readonly boot: string;
}

// ---------------------------------------------------------------- events

export interface EventQuery {
  /** The last sequence number the client has seen: go on after it instead of starting with a snapshot. */
  readonly since?: number;
  /** The `boot` of the snapshot that `since` counts from. Another daemon's numbers mean nothing. */
  readonly boot?: string;
  /**
   * For clients that show how things are: of the events of plugins only so many are sent every tenth of a second, the
   * newest, and of the others their number. 1 to 1000. @default all are sent, each
   */
  readonly most?: number;
}

/**
 * One line of `/v1/events`. The first is a snapshot unless `since` can be honoured. A client that reads too slowly, or
 * resumes too late, misses events and gets a snapshot in their place.
 */
export type EventLine = SnapshotLine | DeltaLine | LeftOutLine | HeartbeatLine;

/** Everything as it is; events after `sequence` follow. */
export interface SnapshotLine {
  readonly line: "snapshot";
  readonly sequence: number;
  /** Names this life of the daemon. */
  readonly boot: string;
  readonly status: Status;
  /** The newest runs, newest first, at most 50. */
  readonly runs: readonly RunSummary[];
  /** Set where this snapshot stands in for events that were not delivered. */
  readonly missed?: true;
}

export interface DeltaLine extends DaemonEvent {
  readonly line: "event";
}

/** How many events were not sent, because `most` wanted it so. Comes after those that were. */
export interface LeftOutLine {
  readonly line: "left_out";
  readonly sequence: number;
  readonly counts: readonly LeftOut[];
}

export interface LeftOut {
  readonly plugin: string;
  /** When: in seconds since the epoch. */
  readonly second: number;
  readonly count: number;
}

/** Nothing happened for some seconds; the connection is alive. */
export interface HeartbeatLine {
  readonly line: "heartbeat";
  readonly sequence: number;
  readonly at: number;
}

// ---------------------------------------------------------------- health

export interface Alive {
  readonly status: "ok";
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not, one sentence each; empty when ready. */
  readonly reasons: readonly string[];
}

// ---------------------------------------------------------------- problems

/** An error, as RFC 9457 has it: `application/problem+json`. */
export interface Problem {
  /** `urn:reeve:<code>`. */
  readonly type: string;
  /** The same for every problem of this type. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** What went wrong this time, in one sentence. */
  readonly detail: string;
  /** Stable, snake case: `not_found`, `invalid_request`, `configuration_rejected`. */
  readonly code: string;
  /** What to do. */
  readonly help?: string;
}

/** The configuration was not taken over; what ran before runs on. */
export interface ConfigurationProblem extends Problem, Findings {
  readonly code: "configuration_rejected";
  /** The attempt that failed. Absent for a plan. */
  readonly generation?: GenerationDetail;
}
