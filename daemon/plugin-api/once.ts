/** A job runs at least once; what it writes into the plugin's own tables is there exactly once all the same. */
import type { Transaction } from "kysely";
import type { Job } from "./state.js";

/** Made with the first table of a plugin. */
interface Effects {
  reeve_effects: { job: string; at: number };
}

/**
 * Whether this transaction is the first with the effect of the job; if not, there is nothing left to do. Call it in the
 * transaction that writes the effect, so that both commit or neither does, also if the worker dies before it completes the job, or
 * returns while another worker owns it. `effect` names one of several effects of a job.
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
