/** What a plugin keeps: state, jobs and records of runs. All of it survives the daemon. */
import type { Kysely } from "kysely";

/** State that outlives the daemon, in a namespace of the plugin's own. */
export interface Store {
  /** A small key-value space: values are JSON data of at most 1 MiB. */
  map<Value = unknown>(name: string): StoreMap<Value>;
  /**
   * Tables of the plugin's own, through kysely; the same queries run on SQLite and PostgreSQL.
   * `migrations` run once each, in the order of their names, before the promise resolves.
   */
  database<Tables>(migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>>;
}
export interface StoreMap<Value> {
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** In the order of the keys. */
  entries(options?: {
    prefix?: string;
    limit?: number;
  }): Promise<ReadonlyArray<readonly [string, Value]>>;
}
/** Brings the tables one step forward. There is no way down: roll forward. */
export type Migration = (database: Kysely<unknown>) => Promise<void>;

/** Work that must happen even if the daemon dies in the middle: leased, retried, resumed. */
export interface Jobs {
  /**
   * Declares a queue and its worker. Declaring it again replaces the worker; jobs stay.
   * A job runs at least once: make the work repeatable, or its effect one that `once` lets through a single time.
   */
  queue<Payload>(
    name: string,
    options: QueueOptions,
    worker: JobWorker<Payload>,
  ): Promise<Queue<Payload>>;
}
export interface QueueOptions {
  /** Jobs of this queue at the same time. @default 1 */
  readonly concurrency?: number;
  /** Tries in all, the first included. @default 1 */
  readonly attempts?: number;
  /** Milliseconds before the second try; doubled for each further one, with jitter, one hour at most. @default 1000 */
  readonly backoff?: number;
  /** Milliseconds after which a worker that has not renewed its lease counts as dead. @default what the `daemon` block says, 30000 without */
  readonly lease?: number;
  /**
   * What jobs survive. `daemon`: the daemon's death at any moment; a power cut may take jobs that were added in the last seconds, and
   * bring back such that were done. For work that its owner finds again by itself, at a fraction of the price. @default "power"
   */
  readonly survives?: "power" | "daemon";
}
export type JobWorker<Payload> = (job: Job<Payload>) => Promise<void>;
export interface Job<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborted when the job is cancelled, its lease is lost or the daemon stops. */
  readonly signal: AbortSignal;
  /** Kept on the job and shown to people; the latest survives a restart and comes back as `progress`. */
  report(progress: unknown): Promise<void>;
  readonly progress: unknown;
  /**
   * Asks whether the job is still this worker's and begins its lease anew: to be asked right before an effect that cannot be taken back,
   * because a worker that was stopped or cut off does not hear that others went on. Rejects with the code `job_lost` where they may have.
   * For effects that are rows of the plugin's own tables there is `once`.
   */
  hold(): Promise<void>;
}
export interface Queue<Payload> {
  add(payload: Payload, options?: JobOptions): Promise<string>;
  cancel(id: string): Promise<boolean>;
  size(): Promise<{ readonly waiting: number; readonly running: number; readonly failed: number }>;
  /** Removes the queue's worker; waiting jobs stay. */
  close(): Promise<void>;
}
export interface JobOptions {
  /** Jobs with the same key run one after the other. */
  readonly key?: string;
  /** While a job with the same value waits, adding is a no-op that returns that job's id. */
  readonly dedupe?: string;
  /** Milliseconds since the epoch. @default now */
  readonly runAt?: number;
  /** Higher goes first. @default 0 */
  readonly priority?: number;
}

/** The reason of a cancelled run that `start` recorded and then rejected, since the disk did not confirm it. */
export type NotAccepted = "Its request could not be written to the disk.";

/** Records of things that ran: kept, bounded, shown by `reeve runs`. */
export interface Runs {
  /** Writes the record before it returns: from then on it survives the daemon. Rejects where the disk refuses: then nothing was accepted. */
  start(run: NewRun): Promise<Run>;
  get(id: string): Promise<RunRecord | undefined>;
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /**
   * Runs with `resume` data that no instance holds, left by an earlier daemon or instance; oldest first.
   * Those that it was carrying out are `interrupted`.
   */
  left(): Promise<readonly LeftRun[]>;
  /**
   * Resumes such a run: it is queued again under its id. `undefined` where another instance holds it or it has ended.
   * `resume`: replaces its data in the same step, such as a count of interruptions.
   */
  resume(id: string, resume?: unknown): Promise<Run | undefined>;
}
/** A run that waits to be resumed. */
export interface LeftRun {
  readonly record: RunRecord;
  readonly resume: unknown;
}
export type RunState =
  | "queued"
  | "running"
  | "succeeded"
  | "failed"
  | "timed_out"
  | "cancelled"
  /** The daemon died while it was running. */
  | "interrupted";
export interface NewRun {
  /** What kind of thing: `hook`, `sandbox`, `update`. */
  readonly kind: string;
  /** Which one: the block's key. */
  readonly subject: string;
  /** @default "running" */
  readonly state?: "queued" | "running";
  /** Where it came from, in a few words: `POST /hooks/deploy from 192.0.2.7`. */
  readonly trigger?: string;
  /** JSON data to keep beside it, at most 64 KiB, without secrets. */
  readonly detail?: unknown;
  /** What asked for it, whole: JSON data of at most 256 KiB, without secrets. Only `get` gives it back. */
  readonly request?: unknown;
  /**
   * What it takes to carry it out another time: JSON data of at most 16 MiB. Where a secret stands in it, it is not kept. With it, a run that is
   * queued when the daemon or the instance dies stays so, for `left` and `resume`.
   */
  readonly resume?: unknown;
  /**
   * What the record survives when `start` returns: `memory` the daemon's death, `disk` a power cut, too; so does then the start of its work.
   * @default "memory"
   */
  readonly durability?: "disk" | "memory";
}
export interface Run {
  readonly id: string;
  /** Moves a queued run on. Its `resume` data is forgotten, unless it shall be kept: then the run can be taken up after an interruption, too. */
  running(options?: { readonly keep?: boolean }): Promise<void>;
  /** Moves a running run back into the queue, with what it takes to carry it out another time. */
  queued(resume: unknown): Promise<void>;
  /** Releases a queued run that has `resume` data, as if the instance had stopped. */
  leave(): Promise<void>;
  /** Keeps output, first and last part of it once it is too long; secrets known to the host are masked. */
  output(stream: "stdout" | "stderr", data: Uint8Array | string): void;
  /** Replaces `detail`. */
  detail(detail: unknown): Promise<void>;
  finish(result: RunResult): Promise<void>;
}
export interface RunResult {
  readonly state: "succeeded" | "failed" | "timed_out" | "cancelled";
  readonly exitCode?: number;
  readonly signal?: string;
  /** One sentence, wanted unless it succeeded. */
  readonly reason?: string;
}
export interface RunRecord {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: RunState;
  readonly trigger: string | undefined;
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly queuedAt: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly reason: string | undefined;
  readonly detail: unknown;
  /** What asked for it; not in lists. */
  readonly request?: unknown;
  /** In the order it arrived. `omitted` counts bytes that were not kept between the first and the last part. */
  readonly output: { readonly text: string; readonly bytes: number; readonly omitted: number };
}
export interface RunFilter {
  readonly kind?: string;
  readonly subject?: string;
  readonly state?: RunState;
  /** Only runs before this one, for paging. */
  readonly before?: string;
  /** Newest first. @default 50, at most 1000 */
  readonly limit?: number;
}
