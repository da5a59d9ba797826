/**
 * Returns memory after a busy time. V8 keeps the heap that a burst needed; a daemon
 * is idle most of the time. A collection that shrinks the heap stops everything for about 100 ms, so it runs only in quiet
 * times and when the heap has grown enough.
 */
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds of quiet before it. */
const PERIOD = 15_000;
/** Part of that time in which anything may have happened. */
const QUIET = 0.02;
/** Periods between two times: a daemon that has a little to do all day is not stopped every minute of it. */
const PAUSE = 40;
/** Bytes by which the heap has grown since. */
const WORTH = 8 * 1024 * 1024;

export interface Heap {
  /** Bytes that the heap takes of the machine. */
  size(): number;
  shrink(): void;
}

/** Decides at the end of each period. */
export class HeapTrimmer {
  readonly #heap: Heap;
  readonly #utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
  #before: EventLoopUtilization;
  /** After the last time. */
  #size = 0;
  /** Periods until the next time may be. */
  #pause = 0;

  constructor(heap: Heap, utilization = performance.eventLoopUtilization) {
    this.#heap = heap;
    this.#utilization = utilization;
    this.#before = utilization();
  }

  look(): void {
    const now = this.#utilization();
    const { active, idle } = now;
    const worked = active - this.#before.active;
    const isQuiet = worked < QUIET * (worked + idle - this.#before.idle);
    this.#before = now;
    this.#pause -= 1;
    if (!isQuiet || this.#pause > 0 || this.#heap.size() - this.#size < WORTH) return;
    this.#heap.shrink();
    this.#size = this.#heap.size();
    this.#pause = PAUSE;
    // The collection itself does not count as work.
    this.#before = this.#utilization();
  }
}

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** The heap of this thread. */
export function ownHeap(): Heap {
  let collect: Collect | undefined;
  return {
    size: () => getHeapStatistics().total_heap_size,
    shrink: () => {
      setFlagsFromString("--expose-gc");
      collect ??= runInNewContext("gc") as Collect;
      // The one kind of collection that gives pages back at once.
      collect({ type: "major", flavor: "last-resort" });
    },
  };
}

/** Until the returned function is called. Keeps no process alive. */
export function trimHeapWhenIdle(heap: Heap = ownHeap()): () => void {
  const rest = new HeapTrimmer(heap);
  const timer = setInterval(() => rest.look(), PERIOD).unref();
  return () => clearInterval(timer);
}
