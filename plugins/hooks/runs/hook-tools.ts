/** What the runtimes of all blocks share. */
import type { PluginContext } from "reeve/plugin";
import type { HookMetrics } from "../telemetry/metrics.js";
import type { Chain } from "./chain.js";

export interface HookTools {
  readonly context: PluginContext;
  readonly metrics: HookMetrics;
  /** Aborted when commands must end. */
  readonly signal: AbortSignal;
  readonly chain: Chain;
}
