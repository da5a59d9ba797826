/**
 * What the plugin tells of requests and runs, under `/v1/hooks` of the control API. Types only.
 *
 * | Route | Answer |
 * |---|---|
 * | `GET /v1/hooks` | `HookList` |
 * | `GET /v1/hooks/hook?name=NAME` | `HookDetail`, 404 |
 * | `POST /v1/hooks/explain` with `HandRequest` | `Explained`, 404 |
 * | `POST /v1/hooks/trigger` with `HandRequest` | `Outcome`, 404 |
 * | `POST /v1/hooks/replay` with `{ run, dryRun }` | `Outcome`, 404, 409 where too little of the request was kept |
 * | `POST /v1/hooks/cancel` with `{ run }` | `{ run, state }`, 404, 409 where it is over |
 */
import type { Explanation } from "reeve/plugin";

/** A request as it is kept and shown: what could be a secret is `(secret)`. Times in milliseconds since the epoch. */
export interface StoredRequest {
  readonly method: string;
  /** Parameters of the hook's path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Where it came from; `192.0.2.7`, absent on a unix socket. */
  readonly remoteIp?: string;
  readonly body: StoredBody;
}

export interface StoredBody {
  /** Of the whole body. */
  readonly bytes: number;
  /** Where it is UTF-8. */
  readonly text?: string;
  readonly base64?: string;
  /** Only the beginning was kept. */
  readonly cut?: true;
}

/** One thing that was looked at before a command ran, or did not. */
export interface DecisionStep {
  readonly what: "method" | "sender" | "body" | "when" | "rule" | "command";
  readonly holds: boolean;
  /** One line. */
  readonly says: string;
  /** How it came about, with the values that were looked at. */
  readonly tree?: Explanation;
}

/** What asked for a run: the `request` of its record. */
export interface RunTrigger {
  readonly hook: string;
  readonly request: StoredRequest;
  /** In the order in which they were looked at. */
  readonly decision: readonly DecisionStep[];
  /** Its arguments are in the run's `detail`. */
  readonly command: {
    readonly env: Readonly<Record<string, string>>;
    /** Bytes of its input. */
    readonly stdin: number;
  };
  /** `received` since the epoch; the others are how long it took from there on. */
  readonly timings: { readonly received: number; readonly read: number; readonly decided: number };
  /** Somebody started it by hand: the sender did not have to prove anything. */
  readonly byHand?: true;
  /** The run whose request was sent again. */
  readonly replayOf?: string;
}

export interface HookSummary {
  readonly name: string;
  /** The block's key: the `subject` of its runs. */
  readonly subject: string;
  /** Where it is answered: `http://127.0.0.1:9000/hooks/deploy`. */
  readonly url: string;
  /** Empty: all, for hooks of a file. */
  readonly methods: readonly string[];
  /** Whether senders have to prove who they are. */
  readonly verified: boolean;
  /** The comment before its block. */
  readonly doc?: string;
  readonly running: number;
  readonly waiting: number;
  /** Since the plugin started. */
  readonly calls: number;
  readonly rejected: number;
  readonly failures: number;
  /** Of the failures. */
  readonly timeouts: number;
  /** Milliseconds that the latest commands took; absent before the first. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly lastRun?: { readonly at: number; readonly state: string };
}

export interface HookList {
  readonly hooks: readonly HookSummary[];
}

/** A request that was refused. The latest few of a hook are kept while the daemon runs. */
export interface Rejection {
  readonly at: number;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger: string;
  readonly status: number;
  readonly reason: string;
  /** What the operator may know and the sender may not. */
  readonly detail: string;
  /** Absent where the body had not been read, or is too long to be kept. */
  readonly request?: StoredRequest;
  /** As the hook decides at present. */
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

/** A request that somebody wrote by hand. */
export interface ManualRequest {
  readonly hook: string;
  /** @default the hook's first method */
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the hook's path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Where it seems to come from. */
  readonly remoteIp?: string;
  readonly body?: string;
  /** Instead of `body`. */
  readonly base64?: string;
  /** Decide, and run nothing. */
  readonly dryRun?: boolean;
}

export interface HookExplanation {
  readonly hook: string;
  readonly decision: readonly DecisionStep[];
  /** Absent where the request is refused. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the sender would be told, where it is refused. */
  readonly refusal?: { readonly status: number; readonly reason: string; readonly detail: string };
}

export type TriggerOutcome =
  | (HookExplanation & { readonly outcome: "refused" | "would_run" })
  | { readonly outcome: "accepted"; readonly hook: string; readonly run: string };
