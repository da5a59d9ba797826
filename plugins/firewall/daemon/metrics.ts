import type { Counter, Gauge, Histogram, Metrics } from "reeve/plugin";

export interface FirewallMetrics {
  readonly requests: Counter;
  readonly bytes: Counter;
  readonly commands: Counter;
  readonly running: Gauge;
  readonly start: Histogram;
}

export const declareMetrics = (metrics: Metrics): FirewallMetrics => ({
  requests: metrics.counter(
    "requests_total",
    "Requests, tunnels and look-ups of sandboxed commands.",
    ["sandbox", "outcome"],
  ),
  bytes: metrics.counter("bytes_total", "Bytes that sandboxed commands moved.", [
    "sandbox",
    "direction",
  ]),
  commands: metrics.counter("commands_total", "Commands that have ended.", ["sandbox", "outcome"]),
  running: metrics.gauge("running", "Commands that run now.", ["sandbox"]),
  start: metrics.histogram("start_seconds", "From the request until the command has begun.", {
    labels: ["sandbox"],
    buckets: [0.005, 0.01, 0.015, 0.02, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  }),
});
