/** What is counted. */
import type { Counter, Metrics } from "reeve/plugin";

export interface SettingsMetrics {
  readonly changes: Counter;
  readonly suppressed: Counter;
  readonly rejected: Counter;
}

export const declareSettingsMetrics = (metrics: Metrics): SettingsMetrics => ({
  changes: metrics.counter("changes_total", "Changes of what is in force.", ["settings"]),
  suppressed: metrics.counter("suppressed_total", "Saves that changed nothing.", ["settings"]),
  rejected: metrics.counter("rejected_total", "Saves that broke a file.", ["settings"]),
});
