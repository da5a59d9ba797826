/** The end of an instance: asked first, cut off when it does not answer. Never rejects. */
import { errorMessage } from "../../errors.js";
import type { StopReason } from "../../plugin-api/plugin.js";
import { DEADLINES, withDeadline } from "../deadline.js";
import type { Instance } from "../instance/instance.js";
import type { SupervisorDependencies } from "./dependencies.js";

type StopOptions = Pick<SupervisorDependencies, "clock" | "kit" | "patience">;

/** `signal` says when patience is over; without it work in flight may go on for as long as the configuration says. */
export async function stopInstance(
  dependencies: StopOptions,
  id: string,
  instance: Instance,
  reason: StopReason,
  signal?: AbortSignal,
  { keepClaims = false } = {},
): Promise<void> {
  const patience = patienceFor(dependencies, reason, signal);
  const leave = () =>
    withDeadline(dependencies.clock, patience, "finish its requests", signal, () =>
      instance.releaseClaims(reason === "replaced"),
    );
  const steps = [
    ...(keepClaims ? [] : [leave]),
    () => stop(dependencies, instance, reason, patience, signal),
    () => instance.dispose(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      // What has failed already is not expected to end well.
      if (reason !== "failed")
        dependencies.kit.log.warn(`The plugin ${id}: ${errorMessage(thrown)}`);
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

/** When patience is over the plugin is told to cut off what still runs, and has a moment to write it down. */
async function stop(
  { clock }: StopOptions,
  instance: Instance,
  reason: StopReason,
  patience: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const cut = new AbortController();
  const stopping = instance.stop(reason, cut.signal);
  stopping.catch(() => undefined);
  try {
    await withDeadline(clock, patience, "stop", signal, () => stopping);
  } catch (late) {
    cut.abort(late);
    await withDeadline(clock, DEADLINES.lastRites, "stop", undefined, () => stopping).catch(
      () => undefined,
    );
    throw late;
  }
}
