/** Deadlines for every call to a plugin. */
import { ReeveError } from "../errors.js";
import type { Clock } from "../plugin-api/context.js";

/** Milliseconds. */
export const DEADLINES = {
  /** Long: when a host boots everything starts at once, and a worker or process has its modules to load. */
  setup: 30_000,
  prepare: 10_000,
  /** To stop what has failed already, and to write down what was cut off. How long work may go on is `drain_timeout`'s. */
  lastRites: 1_000,
  /** The same at the end of the daemon, which has a second after the drain time. */
  shutdown: 500,
  /** To stop what never served, and to answer after an attempt was given up: a newer one waits for it. */
  unused: 200,
  /** Discarding or releasing what was prepared. */
  release: 5_000,
  health: 1_000,
  panels: 1_000,
  secret: 5_000,
} as const;

/**
 * What `work` gives, unless it takes longer than `milliseconds` or `outer` is aborted: then it rejects at once, and the
 * signal that `work` has tells it to give up. `what` finishes the sentence "It did not …". `Infinity`: only `outer` counts.
 */
export async function withDeadline<Result>(
  clock: Clock,
  milliseconds: number,
  what: string,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const timer = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  const giveUp = (reason: unknown) => {
    reject(reason);
    controller.abort(reason);
  };
  const outside = () => giveUp(outer?.reason);
  outer?.addEventListener("abort", outside, { once: true });
  if (milliseconds !== Number.POSITIVE_INFINITY) {
    clock.sleep(milliseconds, timer.signal).then(
      () =>
        giveUp(new ReeveError("deadline", `It did not ${what} within ${milliseconds / 1000} s.`)),
      () => undefined,
    );
  }
  try {
    return await Promise.race([Promise.try(() => work(controller.signal)), aborted]);
  } finally {
    timer.abort();
    outer?.removeEventListener("abort", outside);
  }
}

export const isLate = (thrown: unknown): boolean =>
  thrown instanceof ReeveError && thrown.code === "deadline";
