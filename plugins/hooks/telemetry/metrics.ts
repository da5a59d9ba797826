/** The plugin's metrics. Label values come from the configuration, never from senders. */
import type { Counter, Gauge, Histogram, Metrics } from "reeve/plugin";

export interface HookMetrics {
  readonly requests: Counter;
  readonly runs: Counter;
  readonly seconds: Histogram;
  readonly running: Gauge;
  readonly waiting: Gauge;
}

export interface ScheduleMetrics {
  readonly missed: Counter;
  readonly skipped: Counter;
  readonly next: Gauge;
  readonly lastSuccess: Gauge;
  readonly lag: Gauge;
}

export function declareScheduleMetrics(metrics: Metrics): ScheduleMetrics {
  const gauge = (name: string, help: string): Gauge =>
    metrics.gauge(`schedule_${name}_seconds`, help, ["schedule"]);
  const counter = (name: string, help: string): Counter =>
    metrics.counter(`schedule_${name}_total`, help, ["schedule"]);
  return {
    missed: counter("missed", "Runs that were not started at their time."),
    skipped: counter("skipped", "Runs that were not started because the previous had not ended."),
    next: gauge("next", "When the next run starts, since the epoch."),
    lastSuccess: gauge("last_success", "When a run last succeeded, since the epoch."),
    lag: gauge("lag", "How long after its time the latest run started."),
  };
}

export const declareNoticeMetric = (metrics: Metrics): Counter =>
  metrics.counter("notify_failed_total", "Notifications and pings that were not accepted.", [
    "block",
  ]);

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
