/** Queues the work that a stopped daemon left behind. */
import { errorMessage, isStoreAway } from "../errors.js";
import type { Ports } from "./ports.js";
import type { RecoverPorts } from "./publish/recover.js";
import { isUndecided, recover } from "./publish/recover.js";

/** Milliseconds between two checks for reasons to run that no queue holds. */
const sweepInterval = 60_000;

/** Completes interrupted work, starts the queues and fills them. */
export async function resume(
  ports: RecoverPorts & Pick<Ports, "enqueueRuns" | "isShared" | "reasons" | "registryCache">,
  startQueues: () => Promise<void>,
): Promise<void> {
  const { pulls, reasons, runs } = ports;
  // Interrupted work may be another daemon's: there the next run in the repository recovers it, see `takeOver`.
  if (!ports.isShared) {
    await runs.interrupted(ports.clock.now());
    await recover(ports);
  }
  await ports.registryCache.tidy();
  await startQueues();
  if (ports.isShared) {
    const prepared = await pulls.list({ state: "preparing" });
    await ports.enqueueRuns(prepared.map(({ config_id: id, repo_id }) => ({ id, repo_id })));
  }
  await ports.enqueueRuns(await reasons.left());
  for (const pull of await pulls.list({ state: "open" })) {
    if (isUndecided(pull)) await ports.enqueueFollow(pull);
  }
}

/** Queues runs whose reason was recorded by a daemon that died before it queued them. */
export async function sweepReasons(
  ports: Pick<Ports, "clock" | "enqueueRuns" | "log" | "reasons">,
  signal: AbortSignal,
): Promise<void> {
  let seen = 0;
  while (!signal.aborted) {
    await ports.clock.sleep(sweepInterval, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await ports.enqueueRuns(await ports.reasons.left(seen));
      seen = await ports.reasons.newest();
    } catch (thrown) {
      if (isStoreAway(thrown)) continue;
      ports.log.info("Cannot read the recorded reasons to run", { reason: errorMessage(thrown) });
    }
  }
}
