/** Recent requests in bounded memory, for the dashboard. */
import type { AccessRecord } from "../log/entry.js";
import { domainOf } from "../log/parse.js";

const seconds = 60;
const mostDomains = 1000;
const mostDenied = 100;

export interface DeniedRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly sandbox: string;
  readonly host: string;
  readonly rule: string;
  readonly reason: string;
  readonly pid: number | undefined;
  readonly program: string | undefined;
}

export interface DomainTraffic {
  readonly domain: string;
  allowed: number;
  denied: number;
  bytes: number;
}

export class Traffic {
  readonly #allowed = new Ring();
  readonly #denied = new Ring();
  readonly #domains = new Map<string, DomainTraffic>();
  #lastDenied: DeniedRequest[] = [];

  add(sandbox: string, record: AccessRecord): void {
    const denied = isDenied(record);
    const second = Math.floor(record.timestamp);
    (denied ? this.#denied : this.#allowed).add(second);
    this.#count(record, denied);
    if (!denied) return;
    this.#lastDenied.push({
      at: record.timestamp * 1000,
      sandbox,
      host: record.host,
      rule: record.rule,
      reason: record.reason ?? "",
      pid: record.requester?.pid,
      program: record.requester?.comm,
    });
    if (this.#lastDenied.length > 2 * mostDenied)
      this.#lastDenied = this.#lastDenied.slice(-mostDenied);
  }

  /** Requests in each of the last 60 seconds, the current one last. `now` is in milliseconds. */
  rates(now: number): { readonly allowed: readonly number[]; readonly denied: readonly number[] } {
    const second = Math.floor(now / 1000);
    return { allowed: this.#allowed.until(second), denied: this.#denied.until(second) };
  }

  /** Newest first. */
  get denied(): readonly DeniedRequest[] {
    return this.#lastDenied.slice(-mostDenied).reverse();
  }

  /** Busiest first. */
  topDomains(count: number): readonly DomainTraffic[] {
    return [...this.#domains.values()]
      .sort((one, other) => other.allowed + other.denied - one.allowed - one.denied)
      .slice(0, count);
  }

  #count({ method, host, url, bytesReceived, bytesSent }: AccessRecord, denied: boolean): void {
    const domain = domainOf(method, host, url);
    let count = this.#domains.get(domain);
    if (!count) {
      if (this.#domains.size >= mostDomains) this.#dropQuietDomains();
      count = { domain, allowed: 0, denied: 0, bytes: 0 };
      this.#domains.set(domain, count);
    }
    if (denied) count.denied += 1;
    else count.allowed += 1;
    count.bytes += bytesReceived + bytesSent;
  }

  /** Drops the less busy half. */
  #dropQuietDomains(): void {
    const kept = this.topDomains(mostDomains / 2);
    this.#domains.clear();
    for (const each of kept) this.#domains.set(each.domain, each);
  }
}

export const isDenied = ({ decision }: AccessRecord): boolean => decision.startsWith("TCP_DENIED");

/** Counts per second over the last minute. */
class Ring {
  readonly #counts = new Array<number>(seconds).fill(0);
  readonly #owners = new Array<number>(seconds).fill(-1);

  add(second: number): void {
    const index = second % seconds;
    if (this.#owners[index] !== second) {
      this.#owners[index] = second;
      this.#counts[index] = 0;
    }
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  until(last: number): number[] {
    return Array.from({ length: seconds }, (_, index) => {
      const second = last - seconds + 1 + index;
      return this.#owners[second % seconds] === second ? (this.#counts[second % seconds] ?? 0) : 0;
    });
  }
}
