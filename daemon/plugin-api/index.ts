/** `reeve/plugin`: everything a plugin author needs, and nothing of the host. */

export { Attribute } from "./attribute.js";
export { c } from "./block.js";
export { clientNetwork } from "./client-network.js";
export type * from "./context.js";
export { CronTimes, cronFault, isTimeZone } from "./cron.js";
export type * from "./descriptor.js";
export type * from "./files.js";
export { hasOneHost } from "./host-header.js";
export type * from "./http.js";
export { once } from "./once.js";
export type * from "./panel.js";
export type * from "./plugin.js";
export { definePlugin, PLUGIN_API } from "./plugin.js";
export type * from "./processes.js";
export type * from "./sandbox.js";
export type * from "./state.js";
export { inTurns } from "./turns.js";
export type * from "./values.js";
