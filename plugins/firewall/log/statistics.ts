/** Counts the records of a log. Reads fields in place: parsing a million lines into objects costs more. */
import { domainOf, isAllowed, noiseUrl, parseLine } from "./parse.js";

interface DomainCount {
  allowed: number;
  denied: number;
}

export interface LogStatistics {
  readonly totalRequests: number;
  readonly allowedRequests: number;
  readonly deniedRequests: number;
  /** By total, descending; `-` stands for requests without a name. */
  readonly byDomain: ReadonlyMap<string, Readonly<DomainCount>>;
  /** Epoch seconds. */
  readonly timeRange: { readonly start: number; readonly end: number } | null;
}

const space = " ";

export function countLog(pieces: Iterable<Buffer>): LogStatistics {
  const counter = new Counter();
  for (const piece of pieces) counter.add(piece.toString("latin1"));
  return counter.result();
}

class Counter {
  readonly #domains = new Map<string, DomainCount>();
  #start = Number.POSITIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;

  add(text: string): void {
    for (let from = 0; from < text.length; ) {
      const found = text.indexOf("\n", from);
      const end = found < 0 ? text.length : found;
      if (text.charCodeAt(from) === 0x7b) this.#addParsed(text.slice(from, end));
      else this.#addLine(text, from, end);
      from = end + 1;
    }
  }

  result(): LogStatistics {
    const sorted = [...this.#domains]
      .map(([name, count]) => [Buffer.from(name, "latin1").toString("utf8"), count] as const)
      .sort(
        ([one, first], [other, second]) => total(second) - total(first) || (one < other ? -1 : 1),
      );
    const all = sorted.reduce(
      (sum, [, { allowed, denied }]) => ({
        allowed: sum.allowed + allowed,
        denied: sum.denied + denied,
      }),
      { allowed: 0, denied: 0 },
    );
    return {
      totalRequests: all.allowed + all.denied,
      allowedRequests: all.allowed,
      deniedRequests: all.denied,
      byDomain: new Map(sorted),
      timeRange: this.#start <= this.#end ? { start: this.#start, end: this.#end } : null,
    };
  }

  /** One space separates the fields: time client host dest version method status decision url "agent". */
  #addLine(text: string, from: number, end: number): void {
    const time = timeAt(text, from);
    if (time < 0) return;
    const client = text.indexOf(space, from) + 1;
    const host = text.indexOf(space, client) + 1;
    const dest = text.indexOf(space, host) + 1;
    const version = text.indexOf(space, dest) + 1;
    const method = text.indexOf(space, version) + 1;
    const status = text.indexOf(space, method) + 1;
    const decision = text.indexOf(space, status) + 1;
    const url = text.indexOf(space, decision) + 1;
    const agent = text.indexOf(space, url) + 1;
    // A missing field was found in a later line, or not at all.
    if (client === 0 || agent === 0 || agent >= end || text.charCodeAt(agent) !== 0x22) return;
    if (text.startsWith(noiseUrl, url)) return;
    const isConnect = text.startsWith("CONNECT ", method);
    const domain = isConnect
      ? nameIn(text, url, agent - 1)
      : text.charCodeAt(host) !== 0x2d || dest - host > 2
        ? nameIn(text, host, dest - 1)
        : domainOf("", "-", text.slice(url, agent - 1));
    const allowed = !text.startsWith("TCP_DENIED", decision) && !text.startsWith("NONE", decision);
    this.#count(domain, allowed, time);
  }

  #addParsed(line: string): void {
    const entry = parseLine(Buffer.from(line, "latin1").toString("utf8"));
    if (!entry || entry.url === noiseUrl) return;
    this.#count(
      Buffer.from(entry.domain).toString("latin1"),
      isAllowed(entry.decision),
      entry.timestamp,
    );
  }

  #count(domain: string, allowed: boolean, time: number): void {
    if (time < this.#start) this.#start = time;
    if (time > this.#end) this.#end = time;
    let count = this.#domains.get(domain);
    if (!count) {
      count = { allowed: 0, denied: 0 };
      // A substring keeps its whole string alive; a copy does not.
      this.#domains.set(Buffer.from(domain, "latin1").toString("latin1"), count);
    }
    if (allowed) count.allowed += 1;
    else count.denied += 1;
  }
}

/** Seconds with a fraction; -1 if the line does not start with a time. */
function timeAt(text: string, from: number): number {
  let value = 0;
  let at = from;
  for (; ; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    value = value * 10 + digit;
  }
  if (at === from) return -1;
  if (text.charCodeAt(at) !== 0x2e) return text.charCodeAt(at) === 0x20 ? value : -1;
  let thousandths = 0;
  let scale = 1;
  for (at += 1; ; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    thousandths = thousandths * 10 + digit;
    scale *= 10;
  }
  return text.charCodeAt(at) === 0x20 ? value + thousandths / scale : -1;
}

/** The field without a trailing port. */
function nameIn(text: string, from: number, end: number): string {
  let at = end - 1;
  while (at > from && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at -= 1;
  const name =
    text.charCodeAt(at) === 0x3a && at < end - 1 && at > from
      ? text.slice(from, at)
      : text.slice(from, end);
  if (name.startsWith("error:")) return "-";
  if (name.charCodeAt(0) === 0x5b) return name.replace(/^\[(.*)\]$/, "$1");
  return name.includes(":") ? text.slice(from, end) : name;
}

function total({ allowed, denied }: DomainCount): number {
  return allowed + denied;
}
