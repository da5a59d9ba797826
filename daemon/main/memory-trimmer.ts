/**
 * Returns memory after a busy time. V8 keeps the heap that a burst needed, and the C library what has been freed; a daemon
 * is idle most of the time. A collection that shrinks the heap stops everything for about 100 ms, so it runs only in quiet
 * times and when the heap has grown enough. Returning what has been freed takes a few milliseconds.
 */
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nativeMemory } from "./native-memory.js";

/** Milliseconds of quiet before it. */
const PERIOD = 15_000;
/** Part of that time in which anything may have happened. */
const QUIET = 0.02;
/** Periods between two times: a daemon that has a little to do all day is not stopped every minute of it. */
const PAUSE = 40;
/** Bytes by which the heap has grown since. */
const WORTH = 8 * 1024 * 1024;
/** Milliseconds of work that may have freed memory outside of the heap. */
const WORK = 1000;

export interface Memory {
  /** Bytes that the heap takes of the machine. */
  heapSize(): number;
  shrinkHeap(): void;
  /** Returns what has been freed outside of the heap. */
  release(): void;
}

/** Decides at the end of each period. */
export class MemoryTrimmer {
  readonly #memory: Memory;
  readonly #utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
  #before: EventLoopUtilization;
  /** After the last time. */
  #size = 0;
  /** Periods until the next time may be. */
  #pause = 0;
  /** Milliseconds of work since the last release. The start counts as enough. */
  #work = WORK;

  constructor(memory: Memory, utilization = performance.eventLoopUtilization) {
    this.#memory = memory;
    this.#utilization = utilization;
    this.#before = utilization();
  }

  look(): void {
    const now = this.#utilization();
    const { active, idle } = now;
    const worked = active - this.#before.active;
    const isQuiet = worked < QUIET * (worked + idle - this.#before.idle);
    this.#before = now;
    this.#work += worked;
    this.#pause -= 1;
    if (!isQuiet) return;
    const shrinks = this.#pause <= 0 && this.#memory.heapSize() - this.#size >= WORTH;
    if (shrinks) this.#shrink();
    if (shrinks || this.#work >= WORK) this.#release();
  }

  #shrink(): void {
    this.#memory.shrinkHeap();
    this.#size = this.#memory.heapSize();
    this.#pause = PAUSE;
    // The collection itself does not count as work.
    this.#before = this.#utilization();
  }

  #release(): void {
    this.#memory.release();
    this.#work = 0;
  }
}

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** The heap of this thread, and what its process has freed. */
export function ownMemory(): Memory {
  const native = nativeMemory();
  let collect: Collect | undefined;
  return {
    heapSize: () => getHeapStatistics().total_heap_size,
    shrinkHeap: () => {
      setFlagsFromString("--expose-gc");
      collect ??= runInNewContext("gc") as Collect;
      // The one kind of collection that gives pages back at once.
      collect({ type: "major", flavor: "last-resort" });
    },
    release: () => void native.release(),
  };
}

/** Until the returned function is called. Keeps no process alive. */
export function trimWhenIdle(memory: Memory = ownMemory()): () => void {
  const rest = new MemoryTrimmer(memory);
  const timer = setInterval(() => rest.look(), PERIOD).unref();
  return () => clearInterval(timer);
}
