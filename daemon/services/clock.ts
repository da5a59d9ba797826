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

/** The same clock whose sleeps also end when `owner` is aborted. */
export function ownedClock(clock: Clock, owner: AbortSignal): Clock {
  return {
    now: () => clock.now(),
    sleep: (milliseconds, signal) =>
      clock.sleep(milliseconds, signal ? AbortSignal.any([owner, signal]) : owner),
  };
}
