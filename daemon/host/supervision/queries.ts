/** Health and panels of an instance, with deadlines. */
import type { Clock } from "../../plugin-api/context.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { Health } from "../../plugin-api/plugin.js";
import { faultMessage } from "../../plugin-fault.js";
import { DEADLINES, withDeadline } from "../deadline.js";
import type { Instance } from "../instance/instance.js";

/** A late answer counts as failed. */
export async function queryHealth(clock: Clock, instance: Instance): Promise<Health> {
  try {
    return await withDeadline(clock, DEADLINES.health, "say how it is", undefined, () =>
      instance.health(),
    );
  } catch (thrown) {
    return { state: "failed", reason: faultMessage(thrown) };
  }
}

/** A plugin that fails must not hide the panels of others. */
export async function askPanels(clock: Clock, instance: Instance): Promise<readonly Panel[]> {
  try {
    return await withDeadline(clock, DEADLINES.panels, "give its panels", undefined, () =>
      instance.panels(),
    );
  } catch {
    return [];
  }
}
