/** Memory and processor time of this worker or process. */
import { performance } from "node:perf_hooks";

let before = performance.eventLoopUtilization();

/** `cpu` is the busy share of its event loop since the last question. */
export function usage(): { readonly heap: number; readonly cpu: number } {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, before);
  before = now;
  return { heap: process.memoryUsage().heapUsed, cpu: utilization };
}
