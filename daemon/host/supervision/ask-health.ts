/** How an instance is, by its own account; no answer in time is an answer, too. */
import { sentence } from "../../errors.js";
import type { Clock } from "../../plugin-api/context.js";
import type { Health } from "../../plugin-api/plugin.js";
import { DEADLINES, within } from "../deadline.js";
import type { Instance } from "../instance/instance.js";

export async function askHealth(clock: Clock, instance: Instance): Promise<Health> {
  try {
    return await within(clock, DEADLINES.health, "say how it is", undefined, () =>
      instance.health(),
    );
  } catch (thrown) {
    return { state: "failed", reason: sentence(thrown) };
  }
}
