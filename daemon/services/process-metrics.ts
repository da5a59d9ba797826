/** Resource use of the daemon's process, read when metrics are collected. */
import { performance } from "node:perf_hooks";
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let counted = 0;
  new Counter({
    name: "reeve_process_cpu_seconds_total",
    help: "CPU time used, user and system.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const total = (user + system) / 1e6;
      this.inc(Math.max(0, total - counted));
      counted = total;
    },
  });
  new Gauge({
    name: "reeve_process_resident_memory_bytes",
    help: "Memory that is in RAM.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "reeve_process_heap_bytes",
    help: "JavaScript heap in use.",
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Gauge({
    name: "reeve_process_start_time_seconds",
    help: "When the process started, in seconds since the epoch.",
    registers,
  }).set(performance.timeOrigin / 1000);
  new Gauge({
    name: "reeve_process_event_loop_lag_seconds",
    help: "How long something that is due waits for its turn.",
    registers,
    async collect() {
      const requestedAt = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      this.set((performance.now() - requestedAt) / 1000);
    },
  });
  let before = performance.eventLoopUtilization();
  new Gauge({
    name: "reeve_process_event_loop_utilization_ratio",
    help: "Share of the time that the event loop was busy since it was last asked.",
    registers,
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    },
  });
}
