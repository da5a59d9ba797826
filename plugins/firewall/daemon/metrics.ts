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
    "Requests, tunnels and DNS look-ups of sandboxed commands.",
    ["sandbox", "outcome"],
  ),
  bytes: metrics.counter("bytes_total", "Bytes that sandboxed commands sent and received.", [
    "sandbox",
    "direction",
  ]),
  commands: metrics.counter("commands_total", "Finished commands.", ["sandbox", "outcome"]),
  running: metrics.gauge("running", "Running commands.", ["sandbox"]),
  start: metrics.histogram(
    "start_seconds",
    "Seconds from the request to the start of the command.",
    {
      labels: ["sandbox"],
      buckets: [0.005, 0.01, 0.015, 0.02, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    },
  ),
});
