/** Waits of tests: for what another process, the disk or the event loop is about to do. Each has an end and a sentence. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** Milliseconds: far more than a busy machine needs, less than the runner allows a silent file. */
const PATIENCE = 60_000;

export interface Patience {
  /** Milliseconds until it gives up. @default 60 s */
  readonly within?: number;
  /** Milliseconds between two looks. @default 5 */
  readonly every?: number;
}

/**
 * Looks again and again, and returns the first value that is not `false`, `undefined` or `null`. What `look` throws counts as
 * not yet. @throws Error that names `what`, with the last error as its cause
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  { within = PATIENCE, every = 5 }: Patience = {},
): Promise<Exclude<Value, false | undefined | null>> {
  const end = performance.now() + within;
  for (;;) {
    let failure: unknown;
    try {
      const value = await look();
      if (value !== false && value !== undefined && value !== null)
        return value as Exclude<Value, false | undefined | null>;
    } catch (thrown) {
      failure = thrown;
    }
    if (performance.now() > end) {
      const why = failure instanceof Error ? `: ${failure.message}` : "";
      throw new Error(`Waited ${within / 1000} s for ${what}${why}.`, { cause: failure });
    }
    await sleep(every);
  }
}

/** The promise's value. @throws Error that names `what` after the time */
export async function within<Value>(
  what: string,
  promise: Promise<Value>,
  milliseconds: number = PATIENCE,
): Promise<Value> {
  const stop = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`Waited ${milliseconds / 1000} s for ${what}.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}

/**
 * Looks for the whole time that nothing happens: the weakest proof of absence, for what has no later event to wait for.
 * @throws Error that names `what` when `holds` fails
 */
export async function remains(
  what: string,
  holds: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<void> {
  const end = performance.now() + milliseconds;
  for (;;) {
    if (!(await holds())) throw new Error(`It did not remain so: ${what}.`);
    if (performance.now() > end) return;
    await sleep(5);
  }
}

/** Turns of the event loop until `work` is over. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [count, isOver] = [0, false];
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await setImmediate();
    count += 1;
  }
  await over;
  return count;
}

/** Lets the event loop turn this often. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
