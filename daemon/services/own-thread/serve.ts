/**
 * What runs in a thread of the daemon's own. Its text is handed to the thread: to load a module there, Node reads files by the pool that the
 * thread is to be independent of. So these functions use nothing outside of themselves.
 */

/** Numbers a call. */
export const ARGUMENTS = 6;
/** Calls that the thread may know of at once, a power of two. */
export const SLOTS = 64;

/** Carries out one call: its result, which is a number. */
export type Perform = (values: BigInt64Array) => number;

/** Makes it, in the thread; `base` is an address that packages are looked for from. Self-contained. */
export type MakePerform = (base: string) => Perform;

/** What both threads see. */
export interface Shared {
  /** Calls so far: asked for, and answered. */
  readonly counters: Int32Array<SharedArrayBuffer>;
  /** By slot. */
  readonly values: BigInt64Array<SharedArrayBuffer>;
  readonly results: Int32Array<SharedArrayBuffer>;
}

export interface Setting {
  readonly shared: Shared;
  readonly base: string;
  readonly each: number;
  readonly slots: number;
}

/** Never returns. */
export function serve(make: MakePerform): void {
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { shared, base, each, slots } = workerData as Setting;
  const { counters, values, results } = shared;
  const perform = make(base);
  for (let next = 0; ; next = (next + 1) | 0) {
    // A notice may come when its call is done already.
    while (Atomics.load(counters, 0) === next) Atomics.wait(counters, 0, next);
    const slot = next & (slots - 1);
    results[slot] = perform(values.subarray(slot * each, (slot + 1) * each));
    Atomics.store(counters, 1, (next + 1) | 0);
    Atomics.notify(counters, 1);
  }
}
