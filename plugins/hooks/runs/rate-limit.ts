/** Rate limits by key: the generic cell rate algorithm (ITU-T I.371), which needs one number a key. */
import { type Refusal, refuse } from "../decide/refusal.js";

export interface Rate {
  readonly rate: number;
  /** Milliseconds. */
  readonly per: number;
  /** @default `rate` */
  readonly burst?: number | undefined;
}

/** More keys than clients of a hook have; the least used go first. */
const MOST_KEYS = 10_000;

export class RateLimit {
  /** When a key's allowance is full again, in milliseconds of the monotonic clock; least used first. */
  readonly #full = new Map<string, number>();

  /** Counts a request of `key`; the refusal of one too many. Without a limit none is. */
  exceeded(limit: { readonly values: Rate } | undefined, key: string): Refusal | undefined {
    const wait = limit === undefined ? 0 : this.take(limit.values, key);
    if (wait === 0) return undefined;
    const headers = { "retry-after": String(Math.ceil(wait / 1000)) };
    return refuse("rate_limited", "The hook accepts no more requests at present.", { headers });
  }

  /** Counts a request at `now`. Returns 0, or the milliseconds until one is accepted; a refused request does not count. */
  take({ rate, per, burst = rate }: Rate, key: string, now = performance.now()): number {
    const step = per / rate;
    const before = this.#full.get(key) ?? 0;
    const full = Math.max(before, now) + step;
    const wait = full - now - burst * step;
    const isRefused = wait > step * 1e-9;
    this.#full.delete(key);
    this.#full.set(key, isRefused ? before : full);
    if (this.#full.size > MOST_KEYS) {
      const [oldest = ""] = this.#full.keys();
      this.#full.delete(oldest);
    }
    return isRefused ? wait : 0;
  }

  get size(): number {
    return this.#full.size;
  }
}
