/** Why a request that is as it should be does not become a run. */
import { type Refusal, refuse } from "../decide/refusal.js";

/** `wait`: a guess of how long the queue takes at the usual pace, in milliseconds. Told are a second to five minutes. */
export const queueFull = (wait: number): Refusal =>
  refuse("queue_full", "As many requests are waiting for this hook as may wait.", {
    headers: { "retry-after": String(Math.min(300, Math.max(1, Math.ceil(wait / 1000)))) },
  });

export const repeated = (run: string): Refusal =>
  refuse("repeated", `This delivery came before; it is run ${run}.`, {
    headers: { "reeve-run": run },
  });

export const notRecorded = (thrown: unknown): Refusal =>
  refuse("not_recorded", "The request cannot be recorded now; send it again later.", {
    cause: thrown instanceof Error ? thrown.message : String(thrown),
    headers: { "retry-after": "10" },
  });
