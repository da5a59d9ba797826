/** The end of an instance: asked first, cut off when it does not answer. Never rejects. */
import { sentence } from "../../errors.js";
import type { StopReason } from "../../plugin-api/plugin.js";
import { DEADLINES, within } from "../deadline.js";
import type { Instance } from "../instance/instance.js";
import type { Circumstances } from "./circumstances.js";

export async function end(
  { clock, kit }: Pick<Circumstances, "clock" | "kit">,
  id: string,
  instance: Instance,
  reason: StopReason,
  signal?: AbortSignal,
  { keepDoors = false } = {},
): Promise<void> {
  const bounded = (what: string, work: (inner: AbortSignal) => Promise<void>) => () =>
    within(clock, reason === "failed" ? DEADLINES.lastRites : DEADLINES.stop, what, signal, work);
  const steps = [
    ...(keepDoors
      ? []
      : [bounded("finish its requests", () => instance.leave(reason === "replaced"))]),
    bounded("stop", (inner) => instance.stop(reason, inner)),
    () => instance.dispose(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      // What has failed already is not expected to end well.
      if (reason !== "failed") kit.log.warn(`The plugin ${id}: ${sentence(thrown)}`);
    }
  }
}
