/** Politeness: how many questions a host gets at once, and when it is left alone. */
import { UpdatesError } from "../errors.js";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface HostLimits {
  /** Questions to one host at the same time. @default 16 */
  readonly concurrency?: number;
  /** Milliseconds that a host which does not answer is left alone. @default 30000 */
  readonly restAfterFailure?: number;
  /** The longest wait that a host may ask for before the question fails instead, in milliseconds. @default 20000 */
  readonly longestWait?: number;
}

interface Host {
  running: number;
  readonly waiting: (() => void)[];
  /** Nothing is sent before this time. */
  pausedUntil: number;
  /** It does not answer: everything fails at once until this time. */
  answeredAt: number;
  down: { readonly until: number; readonly why: string } | undefined;
}

export class HostThrottle {
  readonly #clock: Clock;
  readonly #limits: Required<HostLimits>;
  readonly #hosts = new Map<string, Host>();

  constructor(
    clock: Clock,
    { concurrency = 16, restAfterFailure = 30_000, longestWait = 20_000 }: HostLimits = {},
  ) {
    this.#clock = clock;
    this.#limits = { concurrency, restAfterFailure, longestWait };
  }

  /** Asks when it is this question's turn. @throws UpdatesError `lookup_failed` at once while the host is left alone */
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

  /** The host asks for a pause of so many milliseconds. Says whether it is worth waiting for. */
  pause(name: string, milliseconds: number): boolean {
    const host = this.#host(name);
    host.pausedUntil = Math.max(host.pausedUntil, this.#clock.now() + milliseconds);
    return milliseconds <= this.#limits.longestWait;
  }

  /** The host has not answered a question since it was asked first; whoever answers others is not left alone for it. */
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
      throw new UpdatesError("lookup_failed", `${host.down.why} It is left alone for a moment.`, {
        retryAfter: host.down.until - now,
      });
    const wait = host.pausedUntil - now;
    if (wait <= 0) return;
    if (wait > this.#limits.longestWait)
      throw new UpdatesError("lookup_failed", `${name} asks to be left alone.`, {
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
