/** A job runs at least once; what it writes into the plugin's own tables is there exactly once all the same. */
import type { Transaction } from "kysely";
import type { Job } from "./state.js";

/** Made with the first table of a plugin. */
interface Effects {
  reeve_effects: { job: string; at: number };
}

/**
 * Whether this transaction is the first that has the effect of the job; where it is not, there is nothing left to do. To be asked in the
 * transaction that writes the effect, so that both are kept or neither is: also where the worker dies before it can say that the job is done, or
 * was stopped and comes back while somebody else is at it. `effect` names one of several that the job has.
 */
export async function once<Tables>(
  transaction: Transaction<Tables>,
  job: Pick<Job<unknown>, "id">,
  effect = "",
): Promise<boolean> {
  const written = await (transaction as unknown as Transaction<Effects>)
    .insertInto("reeve_effects")
    .values({ job: effect === "" ? job.id : `${job.id} ${effect}`, at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning("job")
    .executeTakeFirst();
  return written !== undefined;
}
