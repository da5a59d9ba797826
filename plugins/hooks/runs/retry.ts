/** Decides whether and when a run is attempted again. Pure. */
import type { CommandBlock } from "../blocks/blocks.js";
import type { Finished } from "./finished.js";

type Retry = NonNullable<CommandBlock["values"]["retry"]>["values"];

/** Whether a run whose daemon died is attempted again. `tried`: attempts started so far. */
export function survivesInterruption({ values: { retry } }: CommandBlock, tried: number): boolean {
  return retry?.values.on.includes("interruption") === true && tried < retry.values.attempts;
}

/**
 * Milliseconds until the next attempt; `undefined` for none. `tried`: attempts so far. `chance`: random
 * from 0 to 1; adds up to a quarter, so that many runs do not return at once.
 */
export function pauseAfter(
  finished: Finished,
  tried: number,
  { values: { retry } }: CommandBlock,
  chance: number,
): number | undefined {
  if (!retry || tried >= retry.values.attempts) return undefined;
  if (!isReason(finished, retry.values.on)) return undefined;
  const { backoff, min, max } = retry.values;
  const base = backoff === "fixed" ? min : min * 2 ** (tried - 1);
  return Math.round(Math.min(base * (1 + chance / 4), Math.max(min, max)));
}

function isReason({ state, exitCode }: Finished, on: Retry["on"]): boolean {
  if (state === "timed_out") return on.includes("timeout");
  if (state !== "failed") return false;
  return on.includes("failure") || (exitCode !== undefined && on.includes(exitCode));
}
