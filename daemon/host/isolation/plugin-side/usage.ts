/** Memory and processor time of this worker or process. */
import { performance } from "node:perf_hooks";
import type { PluginUsage } from "../methods.js";

let before = performance.eventLoopUtilization();

/** `cpu` is the busy share of its event loop since the last question. */
export function usage(): PluginUsage {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, before);
  before = now;
  const { heapUsed: heap, external } = process.memoryUsage();
  return { heap, external, cpu: utilization };
}
