/** What the runtimes of all blocks share. */
import type { PluginContext } from "reeve/plugin";
import type { HookMetrics } from "../telemetry/metrics.js";
import type { StatisticsStore } from "../telemetry/statistics-store.js";
import type { Chain } from "./chain.js";

export interface HookTools {
  readonly context: PluginContext;
  readonly metrics: HookMetrics;
  readonly statistics: Pick<StatisticsStore, "of">;
  /** Aborted when commands must end. */
  readonly signal: AbortSignal;
  readonly chain: Chain;
}
