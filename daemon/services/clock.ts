/** The real time. */
import type { Clock } from "../plugin-api/context.js";

/** The longest delay a timer of the platform can take. */
const longest = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    for (let left = milliseconds; left > 0 || left === milliseconds; left -= longest) {
      await nap(Math.min(Math.max(left, 0), longest), signal);
    }
  },
};

function nap(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Milliseconds since the epoch as of the start of the process: corrections of the system's time do not move it. */
const steadyNow = (): number => performance.timeOrigin + performance.now();

/** Clocks that show the system's time. */
const real = new WeakSet<Clock>([realClock]);

/** The clock for deadlines and durations: the system's time may jump, this one does not. A clock of a test is its own. */
export const steady = (clock: Clock): Clock =>
  real.has(clock) ? { now: steadyNow, sleep: clock.sleep } : clock;

export interface Timer {
  /** The start, in milliseconds since the epoch. */
  readonly at: number;
  /** Whole milliseconds since then. */
  elapsed(): number;
}

export function startTimer(clock: Clock): Timer {
  const counting = steady(clock);
  const began = counting.now();
  return { at: clock.now(), elapsed: () => Math.round(counting.now() - began) };
}

/** The same clock whose sleeps also end when `owner` is aborted. */
export function ownedClock(clock: Clock, owner: AbortSignal): Clock {
  const owned: Clock = {
    now: () => clock.now(),
    sleep: (milliseconds, signal) =>
      clock.sleep(milliseconds, signal ? AbortSignal.any([owner, signal]) : owner),
  };
  if (real.has(clock)) real.add(owned);
  return owned;
}
