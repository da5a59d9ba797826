/** Stops an instance: politely first, by force after the deadline. Never rejects. */
import { ReeveError } from "../../errors.js";
import type { StopReason } from "../../plugin-api/plugin.js";
import { faultMessage } from "../../plugin-fault.js";
import { DEADLINES, isLate, withDeadline } from "../deadline.js";
import type { Instance } from "../instance/instance.js";
import type { SupervisorDependencies } from "./dependencies.js";

type StopOptions = Pick<SupervisorDependencies, "clock" | "kit" | "patience" | "lastRites">;

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
  const lastRites = lastRitesFor(dependencies, reason, unused);
  const leave = () =>
    withinGrace(dependencies, patience, "finish its requests", signal, () =>
      instance.releaseClaims(reason === "replaced"),
    );
  const steps = [
    ...(keepClaims || signal?.aborted ? [] : [leave]),
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
          ...(thrown instanceof ReeveError && { code: thrown.code }),
        });
    }
  }
}

/** In milliseconds. */
function lastRitesFor({ lastRites }: StopOptions, reason: StopReason, unused: boolean): number {
  if (unused) return DEADLINES.unused;
  const isUsual = lastRites === DEADLINES.lastRites;
  return reason === "shutdown" && isUsual ? DEADLINES.shutdown : lastRites;
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

/** `what` finishes the sentence "It did not …". @throws ReeveError that says how the grace period ended */
async function withinGrace(
  { clock }: StopOptions,
  patience: number,
  what: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await withDeadline(clock, patience, what, signal, work);
  } catch (thrown) {
    if (!signal?.aborted || thrown !== signal.reason) throw thrown;
    throw new ReeveError("cut_off", `It did not ${what} before the grace period ended.`);
  }
}

/** After the grace period the plugin's signal aborts, and it has a moment to record what was cut off. */
async function stop(
  dependencies: StopOptions,
  instance: Instance,
  reason: StopReason,
  { patience, lastRites }: { readonly patience: number; readonly lastRites: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const cut = new AbortController();
  const isAtOnce = signal?.aborted === true;
  const stopping = instance.stop(reason, cut.signal);
  stopping.catch(() => undefined);
  try {
    await withinGrace(dependencies, patience, "stop", signal, () => stopping);
  } catch (late) {
    cut.abort(late);
    const last = withDeadline(dependencies.clock, lastRites, "stop", undefined, () => stopping);
    const thrown: unknown = await last.catch((fault) => fault);
    if (isLate(thrown)) {
      const limit = `${lastRites / 1000} s`;
      throw new ReeveError(
        NOT_STOPPED,
        `It did not stop within ${limit} of the abort of its signal.`,
      );
    }
    if (thrown !== undefined) throw thrown;
    if (!isAtOnce) throw late;
  }
}
