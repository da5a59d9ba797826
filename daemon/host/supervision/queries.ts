/** What an instance says of itself, within the deadlines. */
import { errorMessage } from "../../errors.js";
import type { Clock } from "../../plugin-api/context.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { Health } from "../../plugin-api/plugin.js";
import { DEADLINES, withDeadline } from "../deadline.js";
import type { Instance } from "../instance/instance.js";

/** No answer in time is an answer, too. */
export async function queryHealth(clock: Clock, instance: Instance): Promise<Health> {
  try {
    return await withDeadline(clock, DEADLINES.health, "say how it is", undefined, () =>
      instance.health(),
    );
  } catch (thrown) {
    return { state: "failed", reason: errorMessage(thrown) };
  }
}

/** Who cannot show anything now must not hide what others show. */
export async function askPanels(clock: Clock, instance: Instance): Promise<readonly Panel[]> {
  try {
    return await withDeadline(clock, DEADLINES.panels, "give its panels", undefined, () =>
      instance.panels(),
    );
  } catch {
    return [];
  }
}
