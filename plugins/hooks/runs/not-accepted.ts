/** Refusals of valid requests. */
import { type Refusal, refuse } from "../decide/refusal.js";

/** `wait`: the estimated delay of the queue in milliseconds. `Retry-After` is 1 s to 5 min. */
export const queueFull = (wait: number): Refusal =>
  refuse("queue_full", "The hook's queue is full.", {
    headers: { "retry-after": String(Math.min(300, Math.max(1, Math.ceil(wait / 1000)))) },
  });

export const repeated = (run: string): Refusal =>
  refuse("repeated", `This delivery is a repetition of run ${run}.`, {
    headers: { "reeve-run": run },
  });

export const notRecorded = (thrown: unknown): Refusal =>
  refuse("not_recorded", "The request cannot be recorded now; send it again later.", {
    cause: thrown instanceof Error ? thrown.message : String(thrown),
    headers: { "retry-after": "10" },
  });
