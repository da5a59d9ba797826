/** Whether a run is tried again, and when. Pure. */
import type { HookBlock } from "../blocks/blocks.js";
import type { Finished } from "./finished.js";

type Retry = NonNullable<HookBlock["values"]["retry"]>["values"];

/** Whether a run whose daemon died while it was running is to be carried out again. `tried`: how often it has been begun. */
export function survivesInterruption({ values: { retry } }: HookBlock, tried: number): boolean {
  return retry?.values.on.includes("interruption") === true && tried < retry.values.attempts;
}

/**
 * Milliseconds until the next try; `undefined` where there is none. `tried` counts the tries so far, `chance` is a
 * number from 0 to 1: up to a quarter is added, so that many do not come back at once.
 */
export function pauseAfter(
  finished: Finished,
  tried: number,
  { values: { retry } }: HookBlock,
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
