/** Counts the requests of a run in bounded memory, for the diagnosis at its end and for `--learn`. */
import type { AccessFields } from "../log/entry.js";
import { canonicalHostName } from "../policy/name.js";

/** A record, or a line of a log, which may lack the rule. */
interface TalliedRecord extends AccessFields {
  readonly rule?: string;
  readonly reason?: string;
}

const mostKept = 1000;

export interface DeniedDestination {
  readonly host: string;
  readonly port: number | undefined;
  readonly rule: string;
  readonly reason: string;
  count: number;
}

export class RequestTally {
  readonly #denied = new Map<string, DeniedDestination>();
  readonly #allowed = new Map<string, Set<"http" | "https">>();
  denials = 0;

  add(record: TalliedRecord): void {
    if (record.decision.startsWith("TCP_DENIED")) this.#deny(record);
    else if (record.statusCode < 400 || record.decision.startsWith("TCP_MISS")) this.#allow(record);
  }

  /** Each destination once, most frequent first. */
  get denied(): DeniedDestination[] {
    return [...this.#denied.values()].sort((one, other) => other.count - one.count);
  }

  /** The names that the command reached, with their protocols; `name:port` for a port other than 80 and 443. */
  get allowed(): ReadonlyMap<string, ReadonlySet<"http" | "https">> {
    return this.#allowed;
  }

  #deny(record: TalliedRecord): void {
    this.denials += 1;
    const { host, port } = destination(record);
    const key = `${host}:${port ?? ""}`;
    const known = this.#denied.get(key);
    if (known) known.count += 1;
    else if (this.#denied.size < mostKept) {
      this.#denied.set(key, {
        host,
        port,
        rule: record.rule ?? "",
        reason: record.reason ?? "",
        count: 1,
      });
    }
  }

  #allow(record: TalliedRecord): void {
    const { host, port = 80 } = destination(record);
    const name = canonicalHostName(host);
    if (name === undefined || this.#allowed.size >= mostKept) return;
    if (port !== 80 && port !== 443) {
      this.#allowed.set(`${name}:${port}`, new Set(["http", "https"]));
      return;
    }
    const how = this.#allowed.get(name) ?? new Set();
    how.add(record.method === "CONNECT" || record.url.startsWith("https:") ? "https" : "http");
    this.#allowed.set(name, how);
  }
}

function destination({ method, host, url }: TalliedRecord): {
  host: string;
  port: number | undefined;
} {
  const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(method === "CONNECT" ? url : host) ?? [];
  const plain = name.replace(/^\[(.*)\]$/, "$1");
  if (method === "DNS") return { host: plain, port: undefined };
  const usual = url.startsWith("https:") ? 443 : 80;
  return { host: plain, port: port === undefined ? usual : Number(port) };
}
