/** A daemon, or a dashboard, that stays small: the engine's own idea of memory is that of a program that has the machine for itself. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Bytes for what is young: enough that a crowd of requests does not make much of it old. */
const YOUNG = 4 * 1024 * 1024;

/** For the whole process. The old part grows by two fifths before it is cleared, the young part to `YOUNG`, and other processors are left alone. */
export function limitHeap(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--no-parallel-scavenge");
  // Only its growth can be told, so it is watched until it has grown enough: looking costs nothing while nothing happens.
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < YOUNG) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
