/** What a report shows of a log: requests over time, domains, programs. The memory it needs does not grow with the log's length. */
import { noiseUrl, parseLine } from "./parse.js";

interface RequestCounts {
  allowed: number;
  denied: number;
}

interface NamedCounts extends Readonly<RequestCounts> {
  readonly name: string;
}

export interface LogOverview {
  readonly total: Readonly<RequestCounts>;
  /** In the order of their times; each is as long as `interval`. Times without a request are there, too. */
  readonly overTime: ReadonlyArray<Readonly<RequestCounts> & { readonly at: number }>;
  /** Seconds. */
  readonly interval: number;
  /** By the number of requests, descending. */
  readonly domains: readonly NamedCounts[];
  /** Programs, or user agents where the log has no programs. */
  readonly programs: readonly NamedCounts[];
}

/** Intervals at most: twice as many would be bars of a pixel. */
const MOST = 120;
/** Names of each kind that are counted by themselves. */
const NAMES = 10_000;
const OTHERS = "(others)";

export function overviewOf(lines: Iterable<string>): LogOverview {
  const total: RequestCounts = { allowed: 0, denied: 0 };
  const domains = new Map<string, RequestCounts>();
  const programs = new Map<string, RequestCounts>();
  const time = new Intervals();
  for (const line of lines) {
    const entry = parseLine(line);
    if (!entry || entry.url === noiseUrl) continue;
    const { isAllowed, domain, timestamp, comm, userAgent } = entry;
    const key = isAllowed ? "allowed" : "denied";
    total[key] += 1;
    countOf(domains, domain)[key] += 1;
    countOf(programs, comm ?? userAgent)[key] += 1;
    time.add(timestamp, key);
  }
  return { total, ...time.result(), domains: ranked(domains), programs: ranked(programs) };
}

function countOf(counts: Map<string, RequestCounts>, name: string): RequestCounts {
  const key = counts.size < NAMES || counts.has(name) ? name : OTHERS;
  let count = counts.get(key);
  if (count === undefined) {
    count = { allowed: 0, denied: 0 };
    counts.set(key, count);
  }
  return count;
}

const ranked = (counts: ReadonlyMap<string, RequestCounts>): readonly NamedCounts[] =>
  [...counts]
    .filter(([name]) => name !== "-")
    .map(([name, count]) => ({ name, ...count }))
    .sort((a, b) => b.allowed + b.denied - a.allowed - a.denied || (a.name < b.name ? -1 : 1));

/** Counts by time: intervals become twice as long whenever there would be too many. */
class Intervals {
  #interval = 1;
  #counts = new Map<number, RequestCounts>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(at: number, key: keyof RequestCounts): void {
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    while (this.#number(this.#last) - this.#number(this.#first) >= MOST) this.#double();
    const number = this.#number(at);
    const count = this.#counts.get(number) ?? { allowed: 0, denied: 0 };
    count[key] += 1;
    this.#counts.set(number, count);
  }

  result(): Pick<LogOverview, "overTime" | "interval"> {
    const interval = this.#interval;
    if (this.#first > this.#last) return { overTime: [], interval };
    const from = this.#number(this.#first);
    const length = this.#number(this.#last) - from + 1;
    const overTime = Array.from({ length }, (_, index) => ({
      at: (from + index) * interval,
      ...(this.#counts.get(from + index) ?? { allowed: 0, denied: 0 }),
    }));
    return { overTime, interval };
  }

  #number(at: number): number {
    return Math.floor(at / this.#interval);
  }

  #double(): void {
    this.#interval *= 2;
    const merged = new Map<number, RequestCounts>();
    for (const [number, { allowed, denied }] of this.#counts) {
      const count = merged.get(Math.floor(number / 2)) ?? { allowed: 0, denied: 0 };
      count.allowed += allowed;
      count.denied += denied;
      merged.set(Math.floor(number / 2), count);
    }
    this.#counts = merged;
  }
}
