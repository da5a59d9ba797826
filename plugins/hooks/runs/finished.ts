/** The end of a run. */
import type { ProcessResult, RunResult } from "reeve/plugin";
import type { SlotLoss } from "./concurrency-queue.js";

/** `output`: of the last attempt, both streams in order. */
export interface Finished extends RunResult {
  readonly output: Uint8Array;
  /** Bytes that `output` omits. */
  readonly omitted: number;
  /** Milliseconds; 0 if the command never started. */
  readonly duration: number;
  readonly started: boolean;
  /** It never got its turn. */
  readonly lost?: SlotLoss;
  /** A user cancelled it. */
  readonly byPerson?: true;
  /** It has not ended: the next daemon resumes it. */
  readonly left?: true;
}

/** `timeout` in milliseconds. */
export function finishedFrom(result: ProcessResult, timeout: number): Finished {
  const { outcome, exitCode, signal, error, stdout, omitted, duration } = result;
  const common = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    output: stdout,
    omitted,
    duration,
    started: outcome !== "not_started",
  };
  switch (outcome) {
    case "exited":
      return exitCode === 0
        ? { state: "succeeded", ...common }
        : { state: "failed", reason: `The command ended with status ${exitCode}.`, ...common };
    case "killed":
      return { state: "failed", reason: `The command was killed by ${signal}.`, ...common };
    case "timed_out":
      return {
        state: "timed_out",
        reason: `The command took longer than ${timeout} ms.`,
        ...common,
      };
    case "cancelled":
      return { state: "cancelled", reason: "The daemon stopped.", ...common };
    default:
      return { state: "failed", reason: error ?? "The command could not be started.", ...common };
  }
}

const nothing = { output: new Uint8Array(), omitted: 0, duration: 0, started: false } as const;

export const failed = (reason: string): Finished => ({ state: "failed", reason, ...nothing });

export const lost = (loss: SlotLoss): Finished => ({
  state: "cancelled",
  reason: loss === "dropped" ? "A newer request replaced it in the queue." : "The daemon stopped.",
  lost: loss,
  ...nothing,
});

/** Its record stays queued. */
export const interrupted: Finished = { ...lost("stopping"), left: true };
