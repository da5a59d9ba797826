/** Limits of requests and sent bytes per domain, in fixed windows. */
import type { DomainPattern } from "../policy/pattern.js";
import { PatternList } from "../policy/pattern-list.js";
import type { Policy, Verdict } from "../policy/policy.js";

export interface RequestLimit {
  /** The names that share the limit; absent: each entry of the allow list has it for its own names. */
  readonly pattern?: DomainPattern;
  readonly requestsPerMinute?: number;
  readonly requestsPerHour?: number;
  readonly bytesPerMinute?: number;
}

/** Counts the bytes that a request sends. */
export interface ByteMeter {
  /** Undefined as long as they are within the limit. */
  add(bytes: number): Verdict | undefined;
}

export function isRefusal(admitted: Verdict | ByteMeter | undefined): admitted is Verdict {
  return admitted !== undefined && "allowed" in admitted;
}

const minute = 60_000;
const hour = 60 * minute;
/** Further names, which only a run without a list can have, share one counter. */
const mostCounters = 10_000;

/** One counter of a limit. */
class Window {
  readonly #lengthMs: number;
  readonly #most: number;
  readonly #what: string;
  #start = -Infinity;
  #count = 0;

  constructor(lengthMs: number, most: number, what: string) {
    this.#lengthMs = lengthMs;
    this.#most = most;
    this.#what = what;
  }

  isFull(now: number): boolean {
    if (now - this.#start < this.#lengthMs) return this.#count >= this.#most;
    this.#start = now;
    this.#count = 0;
    return false;
  }

  /** False if the limit is exceeded. */
  add(count: number, now: number): boolean {
    this.isFull(now);
    this.#count += count;
    return this.#count <= this.#most;
  }

  refusal(now: number): Verdict {
    const left = Math.ceil((this.#start + this.#lengthMs - now) / 1000);
    const per = this.#lengthMs === minute ? "minute" : "hour";
    return {
      allowed: false,
      rule: `deny-${this.#what}-limit`,
      reason: `the limit of ${this.#most} ${this.#what} a ${per} is reached`,
      retryAfterSeconds: Math.max(1, left),
    };
  }
}

interface Counters {
  readonly requests: readonly Window[];
  readonly bytes: Window | undefined;
}

export class RequestLimiter {
  readonly #limits: ReadonlyMap<string, RequestLimit>;
  readonly #patterns: PatternList;
  readonly #usual: RequestLimit | undefined;
  readonly #now: () => number;
  readonly #counters = new Map<string, Counters>();

  /** @param now milliseconds of a monotonic clock */
  constructor(limits: readonly RequestLimit[], now: () => number = () => performance.now()) {
    const named = limits.flatMap((limit) =>
      limit.pattern ? [[limit.pattern, limit] as const] : [],
    );
    this.#limits = new Map(named.map(([{ text }, limit]) => [text, limit]));
    this.#patterns = new PatternList(
      named.map(([pattern]) => pattern),
      true,
    );
    this.#usual = limits.find(({ pattern }) => pattern === undefined);
    this.#now = now;
  }

  /** Counts a request to an allowed name or address; the refusal if it is one too many. */
  admit(host: string, policy: Policy): Verdict | ByteMeter | undefined {
    const counters = this.#countersFor(host, policy);
    if (!counters) return undefined;
    const now = this.#now();
    const { requests, bytes } = counters;
    const full = [...requests, ...(bytes ? [bytes] : [])].find((window) => window.isFull(now));
    if (full) return full.refusal(now);
    for (const window of requests) window.add(1, now);
    if (!bytes) return undefined;
    return {
      add: (count) => {
        const at = this.#now();
        return bytes.add(count, at) ? undefined : bytes.refusal(at);
      },
    };
  }

  #countersFor(host: string, policy: Policy): Counters | undefined {
    const pattern = this.#patterns.findName(host) ?? this.#patterns.findAddress(host);
    const limit = pattern ? this.#limits.get(pattern.text) : this.#usual;
    if (!limit) return undefined;
    // Subdomains that an entry allows share its limit, since a command may choose any of them.
    const entry = pattern ?? policy.allow.findName(host) ?? policy.allow.findAddress(host);
    const named = `${pattern ? "limit" : "entry"} ${entry?.text ?? host}`;
    const key = this.#counters.size < mostCounters || this.#counters.has(named) ? named : "others";
    let counters = this.#counters.get(key);
    if (!counters) {
      counters = countersOf(limit);
      this.#counters.set(key, counters);
    }
    return counters;
  }
}

function countersOf({
  requestsPerMinute,
  requestsPerHour,
  bytesPerMinute,
}: RequestLimit): Counters {
  const requests = [
    ...(requestsPerMinute === undefined ? [] : [new Window(minute, requestsPerMinute, "requests")]),
    ...(requestsPerHour === undefined ? [] : [new Window(hour, requestsPerHour, "requests")]),
  ];
  const bytes =
    bytesPerMinute === undefined ? undefined : new Window(minute, bytesPerMinute, "bytes");
  return { requests, bytes };
}
