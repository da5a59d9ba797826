/** What follows a run. */
import type { Finished } from "./finished.js";

export interface EndedRun {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** The block's key. */
  readonly subject: string;
  readonly state: Finished["state"] | "skipped" | "missed";
  readonly reason: string | undefined;
  readonly exitCode: number | undefined;
  readonly output: Uint8Array;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whether an earlier daemon may have queued what follows. */
  readonly isResumed: boolean;
}

/** As `on` of blocks names them. */
export const OUTCOME = {
  succeeded: "success",
  failed: "failure",
  timed_out: "timeout",
  cancelled: "cancelled",
  skipped: "skipped",
  missed: "missed",
} as const satisfies Readonly<Record<EndedRun["state"], string>>;

export interface Chain {
  /** Called before its command starts, once for all attempts. Never rejects. */
  began(run: string, subject: string): Promise<void>;
  /** Whether something follows runs of this block. */
  follows(subject: string): boolean;
  /**
   * Queues what follows. Called before the end of the run is recorded: after a crash in between, the records of what follows tell how it
   * ended. Never rejects.
   */
  ended(run: EndedRun): Promise<void>;
  /** How a run ended whose end is not recorded, if something that follows it was queued. */
  recordedEnd(run: string, subject: string): Promise<EndedRun["state"] | undefined>;
}
