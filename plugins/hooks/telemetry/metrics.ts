/** The plugin's metrics. Label values come from the configuration, never from senders. */
import type { Counter, Gauge, Histogram, Metrics } from "reeve/plugin";

export interface HookMetrics {
  readonly requests: Counter;
  readonly runs: Counter;
  readonly seconds: Histogram;
  readonly running: Gauge;
  readonly waiting: Gauge;
}

export function declareMetrics(metrics: Metrics): HookMetrics {
  return {
    requests: metrics.counter(
      "requests_total",
      "Requests by hook and outcome: accepted, or the reason of refusal.",
      ["hook", "outcome"],
    ),
    runs: metrics.counter("runs_total", "Finished runs by hook and state.", ["hook", "state"]),
    seconds: metrics.histogram("run_seconds", "Durations of commands.", { labels: ["hook"] }),
    running: metrics.gauge("running", "Running commands.", ["hook"]),
    waiting: metrics.gauge("waiting", "Waiting requests.", ["hook"]),
  };
}
