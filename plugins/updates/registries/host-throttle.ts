/** Limits concurrent requests to a host, and pauses requests to failing hosts. */
import { UpdatesError } from "../errors.js";

export interface LookupClock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface HostLimits {
  /** Concurrent requests to one host. @default 16 */
  readonly concurrency?: number;
  /** Milliseconds without requests after a host did not answer. @default 30000 */
  readonly restAfterFailure?: number;
  /** The longest pause in milliseconds that a host may request; longer ones fail the lookup. @default 20000 */
  readonly longestWait?: number;
}

interface Host {
  running: number;
  readonly waiting: (() => void)[];
  /** No request before this time. */
  pausedUntil: number;
  /** The time of the last response. */
  answeredAt: number;
  down: { readonly until: number; readonly why: string } | undefined;
}

export class HostThrottle {
  readonly #clock: LookupClock;
  readonly #limits: Required<HostLimits>;
  readonly #hosts = new Map<string, Host>();

  constructor(
    clock: LookupClock,
    { concurrency = 16, restAfterFailure = 30_000, longestWait = 20_000 }: HostLimits = {},
  ) {
    this.#clock = clock;
    this.#limits = { concurrency, restAfterFailure, longestWait };
  }

  /** Runs `ask` when a slot is free. @throws UpdatesError `lookup_failed` at once while the host is paused */
  async turn<Result>(
    name: string,
    ask: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const host = this.#host(name);
    if (host.running >= this.#limits.concurrency)
      await new Promise<void>((resolve) => host.waiting.push(resolve));
    else host.running += 1;
    try {
      await this.#mayAsk(name, host, signal);
      return await ask();
    } finally {
      const next = host.waiting.shift();
      if (next) next();
      else host.running -= 1;
    }
  }

  /** Pauses requests to the host. Returns whether waiting is worthwhile. */
  pause(name: string, milliseconds: number): boolean {
    const host = this.#host(name);
    host.pausedUntil = Math.max(host.pausedUntil, this.#clock.now() + milliseconds);
    return milliseconds <= this.#limits.longestWait;
  }

  /** Pauses a host that has not answered since the given time, unless it answered other requests. */
  rest(name: string, why: string, since: number): void {
    const host = this.#host(name);
    if (host.answeredAt >= since) return;
    host.down = { until: this.#clock.now() + this.#limits.restAfterFailure, why };
  }

  answered(name: string): void {
    const host = this.#host(name);
    host.answeredAt = this.#clock.now();
    host.down = undefined;
  }

  async #mayAsk(name: string, host: Host, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#clock.now();
    if (host.down && host.down.until > now)
      throw new UpdatesError("lookup_failed", `${host.down.why} Requests to it are paused.`, {
        retryAfter: host.down.until - now,
      });
    const wait = host.pausedUntil - now;
    if (wait <= 0) return;
    if (wait > this.#limits.longestWait)
      throw new UpdatesError("lookup_failed", `${name} asks to pause requests.`, {
        retryAfter: wait,
      });
    await this.#clock.sleep(wait, signal);
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const host: Host = {
      running: 0,
      waiting: [],
      pausedUntil: 0,
      answeredAt: Number.NEGATIVE_INFINITY,
      down: undefined,
    };
    this.#hosts.set(name, host);
    return host;
  }
}
