/** Limits the heap of a long-running process: V8 assumes that the machine is its own. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Bytes of a semispace, half of the young generation: enough that few objects of a burst of requests are promoted. */
const YOUNG = 4 * 1024 * 1024;

/**
 * For the whole process. The old generation grows by two fifths between collections, the young one to `YOUNG`; scavenges use
 * one thread. A full collection copies few objects while the process waits: a page is kept whole if a fifth of it is alive, and
 * at most one megabyte is compacted.
 */
export function limitHeap(): void {
  setFlagsFromString("--page-promotion-threshold=20");
  setFlagsFromString("--compaction-max-evacuated-bytes-mb=1");
  setFlagsFromString("--heap-growing-percent=40");
  setFlagsFromString("--no-parallel-scavenge");
  limitYoung();
  // V8 only has a growth factor, and makes the young generation smaller where little is allocated: so look after each collection.
  new PerformanceObserver(limitYoung).observe({ entryTypes: ["gc"] });
}

/** Lets the young generation grow up to `YOUNG`. */
function limitYoung(): void {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  // `space_size` is what is committed, and that follows the capacity late.
  const capacity = (space?.space_used_size ?? 0) + (space?.space_available_size ?? 0);
  setFlagsFromString(`--semi-space-growth-factor=${capacity < YOUNG * 0.9 ? 2 : 1}`);
}
