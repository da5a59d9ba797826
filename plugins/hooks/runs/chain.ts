/** What follows a run. */
import type { Finished } from "./finished.js";

export interface EndedRun {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** The block's key. */
  readonly subject: string;
  readonly state: Finished["state"] | "skipped";
  readonly exitCode?: number | undefined;
  readonly output: Uint8Array;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Whether an earlier daemon may have queued what follows. */
  readonly isResumed?: boolean;
}

export interface Chain {
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
