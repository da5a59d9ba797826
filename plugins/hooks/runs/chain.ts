/** What follows a run. */
import type { RunResult } from "reeve/plugin";

/** How a run ended for what follows it. */
export interface EndOfRun {
  readonly state: RunResult["state"] | "skipped" | "missed";
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly reason?: string | undefined;
}

export interface EndedRun {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** The block's key. */
  readonly subject: string;
  readonly state: EndOfRun["state"];
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
   * ended. Resolves with `false` if the daemon ends before that can be recorded: the next daemon must do it. Never rejects.
   */
  ended(run: EndedRun): Promise<boolean>;
  /** How a run ended whose end is not recorded, if something that follows it was queued. */
  recordedEnd(run: string, subject: string): Promise<EndedRun["state"] | undefined>;
}
