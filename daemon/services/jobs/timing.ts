/** How long is waited: for the next try of a job, and for an end. */
import { ReeveError } from "../../errors.js";
import type { Clock } from "../../plugin-api/context.js";

const hour = 3_600_000;
/** The clock of the machine may be set: how long a wait may rely on it, in milliseconds. */
const longestWait = 60_000;

/** Doubled for each try, and up to a quarter longer, so that many do not come back at once. */
export function backoffDelay(backoff: number, attempt: number): number {
  const base = Math.min(backoff * 2 ** (attempt - 1), hour);
  return Math.round(Math.min(base * (1 + Math.random() / 4), hour));
}

/** Waits for `end`, `wait` milliseconds at most. */
export async function atMost(clock: Clock, wait: number, end: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(wait, over.signal).catch(() => undefined);
  await Promise.race([end, late]);
  over.abort();
}

/** Rings once at the time that was said last. */
export class OneShotTimer {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #over = new AbortController();

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** `time` is in milliseconds since the epoch. It may ring earlier where that is far away. */
  set(time: number): void {
    this.stop();
    this.#over = new AbortController();
    const wait = Math.min(Math.max(time - this.#clock.now(), 0), longestWait);
    this.#clock.sleep(wait, this.#over.signal).then(this.#ring, () => undefined);
  }

  stop(): void {
    this.#over.abort();
  }
}

/** Fails a database call that takes too long, because a lost connection gives no response at all. @throws ReeveError `store_away` */
export async function withTimeout<Answer>(
  clock: Clock,
  patience: number | undefined,
  answer: Promise<Answer>,
  ended?: AbortSignal,
): Promise<Answer> {
  if (patience === undefined) return answer;
  const over = new AbortController();
  const late = async (): Promise<never> => {
    await clock.sleep(patience, ended ? AbortSignal.any([ended, over.signal]) : over.signal);
    throw new ReeveError("store_away", "The database does not answer.");
  };
  try {
    return await Promise.race([answer, late()]);
  } finally {
    answer.catch(() => undefined);
    over.abort();
  }
}
