/**
 * The types of `/v1/hooks` in the control API.
 *
 * | Route | Answer |
 * |---|---|
 * | `GET /v1/hooks` | `HookList` |
 * | `GET /v1/hooks/hook?name=NAME` | `HookDetail`, 404 |
 * | `POST /v1/hooks/explain` with `ManualRequest` | `HookExplanation`, 404 |
 * | `POST /v1/hooks/trigger` with `ManualRequest` | `TriggerOutcome`, 404 |
 * | `POST /v1/hooks/replay` with `{ run, dryRun }` | `TriggerOutcome`, 404, 409 if the stored request is incomplete |
 * | `POST /v1/hooks/cancel` with `{ run }` | `{ run, state }`, 404, 409 if the run has ended |
 * | `GET /v1/hooks/schedules` | `ScheduleList` |
 * | `GET /v1/hooks/watches` | `WatchList` |
 * | `POST /v1/hooks/watch/run` with `{ watch }` | `{ run }`, 404, 409 if one runs and one waits already |
 * | `POST /v1/hooks/schedule/run` with `{ schedule }` | `{ run }`, 404, 409 if `overlap` refuses it |
 * | `GET /v1/hooks/tasks` | `TaskList` |
 * | `POST /v1/hooks/task/run` with `TaskRequest` | `{ run }`, 404, 409 if the parameters or the queue refuse it |
 */
import type { Explanation } from "reeve/plugin";

/** A stored request; possible secrets are replaced by `(secret)`. */
export interface StoredRequest {
  readonly method: string;
  /** Parameters of the hook's path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** `192.0.2.7`; absent on a unix socket. */
  readonly remoteIp?: string;
  /** Of a verified token, for replays. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly body: StoredBody;
}

export interface StoredBody {
  /** Of the whole body. */
  readonly bytes: number;
  /** Present for UTF-8. */
  readonly text?: string;
  readonly base64?: string;
  /** Only the beginning is stored. */
  readonly cut?: true;
}

/** One check of a request. */
export interface DecisionStep {
  readonly what: "path" | "method" | "sender" | "body" | "when" | "rule" | "command";
  readonly holds: boolean;
  /** One line. */
  readonly says: string;
  /** The evaluation, with its values. */
  readonly tree?: Explanation;
}

/** The `request` field of a run's record. */
export interface RunTrigger {
  readonly hook: string;
  readonly request: StoredRequest;
  /** In the order of evaluation. */
  readonly decision: readonly DecisionStep[];
  /** Its arguments are in the run's `detail`. */
  readonly command: {
    readonly env: Readonly<Record<string, string>>;
    /** Bytes of standard input. */
    readonly stdin: number;
  };
  /** Milliseconds; `received` since the epoch, the others since `received`. */
  readonly timings: { readonly received: number; readonly read: number; readonly decided: number };
  /** Started manually, without verification. */
  readonly byHand?: true;
  /** The run whose request is replayed. */
  readonly replayOf?: string;
}

export interface HookSummary {
  readonly name: string;
  /** The block's key: the `subject` of its runs. */
  readonly subject: string;
  /** `http://127.0.0.1:9000/hooks/deploy`. */
  readonly url: string;
  /** Empty: all, for hooks of a file. */
  readonly methods: readonly string[];
  /** Its `priority`. */
  readonly priority?: number;
  /** All hooks with the same path and a method in common, in the order in which they are tried; absent if there is no other. */
  readonly sharedBy?: readonly string[];
  /** Whether senders are verified. */
  readonly verified: boolean;
  /** The comment before its block. */
  readonly doc?: string;
  readonly running: number;
  readonly waiting: number;
  /** When counting began, in milliseconds since the epoch; absent before the first request. */
  readonly since?: number;
  /** Since then, over restarts and edits. */
  readonly calls: number;
  readonly rejected: number;
  readonly failures: number;
  /** Of the failures. */
  readonly timeouts: number;
  /** Durations of the latest commands in milliseconds; absent before the first. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly lastRun?: { readonly at: number; readonly state: string };
}

export interface HookList {
  readonly hooks: readonly HookSummary[];
}

/** A schedule, a watch or a task. */
export interface BlockSummary {
  readonly name: string;
  /** The block's key: the `subject` of its runs. */
  readonly subject: string;
  /** The comment before its block. */
  readonly doc?: string;
  readonly running: number;
  readonly waiting: number;
  readonly lastRun?: { readonly at: number; readonly state: string };
}

export interface ScheduleSummary extends BlockSummary {
  /** `30 2 * * * Europe/Berlin`, or `every 5m`. */
  readonly rule: string;
  /** The next ten starts, in milliseconds since the epoch. */
  readonly next: readonly number[];
  /** Since the plugin started. */
  readonly missed: number;
  readonly skipped: number;
}

export interface ScheduleList {
  readonly schedules: readonly ScheduleSummary[];
}

export interface WatchSummary extends BlockSummary {
  readonly paths: readonly string[];
  /** Files that match now; absent until they have been read. */
  readonly files?: number;
  readonly runs: number;
  readonly failures: number;
  /** Why it does not work, or why its runs are held back. */
  readonly problem?: string;
}

export interface WatchList {
  readonly watches: readonly WatchSummary[];
}

export interface TaskParameter {
  readonly name: string;
  readonly type: "text" | "number" | "boolean" | "list" | "secret";
  readonly required: boolean;
  readonly about?: string;
  readonly values?: readonly string[];
  readonly pattern?: string;
  readonly default?: unknown;
}

export interface TaskSummary extends BlockSummary {
  /** Keys of the blocks that it follows. */
  readonly after: readonly string[];
  readonly on: readonly string[];
  readonly parameters: readonly TaskParameter[];
  /** A JSON Schema (2020-12) of the parameters. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Since the plugin started. */
  readonly runs: number;
  readonly failures: number;
}

export interface TaskList {
  readonly tasks: readonly TaskSummary[];
}

export interface TaskRequest {
  readonly task: string;
  /** Texts by name; lists are written `a,b`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A refused request. The daemon keeps the latest few of each hook in memory. */
export interface Rejection {
  readonly at: number;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  readonly status: number;
  readonly reason: string;
  /** For the operator only. */
  readonly detail: string;
  /** Absent if the body was not read, or is too long. */
  readonly request?: StoredRequest;
  /** By the hook's current configuration. */
  readonly decision?: readonly DecisionStep[];
}

export interface HookDetail extends HookSummary {
  readonly limits: {
    /** Milliseconds. */
    readonly timeout: number;
    readonly concurrency: number;
    readonly queue: number;
  };
  /** Newest first. */
  readonly rejections: readonly Rejection[];
}

/** A request composed by a user. */
export interface ManualRequest {
  readonly hook: string;
  /** @default the hook's first method */
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the hook's path. */
  readonly path?: Readonly<Record<string, string>>;
  /** The simulated client address. */
  readonly remoteIp?: string;
  readonly body?: string;
  /** Instead of `body`. */
  readonly base64?: string;
  /** Only decide. */
  readonly dryRun?: boolean;
}

export interface HookExplanation {
  readonly hook: string;
  readonly decision: readonly DecisionStep[];
  /** The hook of the same path that runs instead. */
  readonly takenBy?: string;
  /** Absent if this hook does not run. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The response to the sender, if the request is refused. */
  readonly refusal?: { readonly status: number; readonly reason: string; readonly detail: string };
}

export type TriggerOutcome =
  | (HookExplanation & { readonly outcome: "refused" | "would_run" })
  | { readonly outcome: "accepted"; readonly hook: string; readonly run: string };
