/** Limits the heap of a long-running process: V8 assumes that the machine is its own. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Bytes of the young generation: enough that few objects of a burst of requests are promoted. */
const YOUNG = 4 * 1024 * 1024;

/** For the whole process. The old generation grows by two fifths between collections, the young one to `YOUNG`; scavenges use one thread. */
export function limitHeap(): void {
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--no-parallel-scavenge");
  // V8 only has a growth factor, so observe collections until the size is reached.
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < YOUNG) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
