/** Stops an instance: politely first, by force after the deadline. Never rejects. */
import { ReeveError } from "../../errors.js";
import type { StopReason } from "../../plugin-api/plugin.js";
import { faultMessage } from "../../plugin-fault.js";
import { DEADLINES, isLate, withDeadline } from "../deadline.js";
import type { Instance } from "../instance/instance.js";
import type { SupervisorDependencies } from "./dependencies.js";

type StopOptions = Pick<SupervisorDependencies, "clock" | "kit" | "patience">;

/** The code of the log line about a plugin that still had not stopped when it was ended. */
export const NOT_STOPPED = "not_stopped";

/** `signal` ends the grace period; without it `drain_timeout` does. An `unused` instance has served nothing. */
export async function stopInstance(
  dependencies: StopOptions,
  id: string,
  instance: Instance,
  reason: StopReason,
  signal?: AbortSignal,
  { keepClaims = false, unused = false } = {},
): Promise<void> {
  const patience = unused ? DEADLINES.unused : patienceFor(dependencies, reason, signal);
  const lastRites = unused ? DEADLINES.unused : DEADLINES.lastRites;
  const leave = () =>
    withDeadline(dependencies.clock, patience, "finish its requests", signal, () =>
      instance.releaseClaims(reason === "replaced"),
    );
  const steps = [
    ...(keepClaims ? [] : [leave]),
    () => stop(dependencies, instance, reason, { patience, lastRites }, signal),
    () => instance.dispose(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      // A failed instance often fails to stop as well.
      if (reason !== "failed")
        dependencies.kit.log.warn(`The plugin ${id}: ${faultMessage(thrown)}`, {
          plugin: id,
          ...(thrown instanceof ReeveError && { code: thrown.code }),
        });
    }
  }
}

/** In milliseconds. */
function patienceFor(
  dependencies: StopOptions,
  reason: StopReason,
  signal: AbortSignal | undefined,
): number {
  if (reason === "failed") return DEADLINES.lastRites;
  return signal ? Number.POSITIVE_INFINITY : dependencies.patience();
}

/** After the grace period the plugin's signal aborts, and it has a moment to record what was cut off. */
async function stop(
  { clock }: StopOptions,
  instance: Instance,
  reason: StopReason,
  { patience, lastRites }: { readonly patience: number; readonly lastRites: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const cut = new AbortController();
  const stopping = instance.stop(reason, cut.signal);
  stopping.catch(() => undefined);
  try {
    await withDeadline(clock, patience, "stop", signal, () => stopping);
  } catch (late) {
    cut.abort(late);
    const ending = withDeadline(clock, lastRites, "stop", undefined, () => stopping);
    if (isLate(await ending.catch((thrown) => thrown))) {
      const limit = `${lastRites / 1000} s`;
      throw new ReeveError(
        NOT_STOPPED,
        `It did not stop within ${limit} of the abort of its signal.`,
      );
    }
    if (!signal?.aborted) throw late;
    throw new ReeveError("cut_off", "It was at work when the grace period ended, and was cut off.");
  }
}
