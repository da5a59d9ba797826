/**
 * Finds the entry of a list that covers a name. The cost depends on the name's labels, not on the number of entries.
 */
import type { IpAddress } from "./address.js";
import type { HostName } from "./name.js";
import type { DomainPattern } from "./pattern.js";

/** `tcp` is any protocol. An entry that is limited to one protocol does not cover another. */
export type Protocol = "http" | "https" | "tcp";

/** Of a question about a name alone: entries that list a port do not block it. */
export const noPort = 0;

export class PatternList {
  readonly patterns: readonly DomainPattern[];
  readonly #exact = new Map<string, DomainPattern[]>();
  readonly #wildcards: Array<readonly [RegExp, DomainPattern]> = [];
  readonly #everyPort: boolean;

  /** @param everyPort entries without a port cover every port, instead of 80 and 443 */
  constructor(patterns: readonly DomainPattern[], everyPort = false) {
    this.patterns = patterns;
    this.#everyPort = everyPort;
    for (const pattern of patterns) {
      if (pattern.kind === "wildcard") this.#wildcards.push([expression(pattern.host), pattern]);
      else this.#exact.set(pattern.host, [...(this.#exact.get(pattern.host) ?? []), pattern]);
    }
  }

  /**
   * The entry that covers the name: the name itself, then its nearest listed parent, then wildcards in order. Without a
   * protocol or port, any.
   */
  findName(name: HostName, protocol?: Protocol, port?: number): DomainPattern | undefined {
    for (let from = 0; ; ) {
      const found = this.#exact
        .get(name.slice(from))
        ?.find((pattern) => this.#covers(pattern, protocol, port));
      if (found && found.kind === "plain") return found;
      const dot = name.indexOf(".", from);
      if (dot < 0) break;
      from = dot + 1;
    }
    return this.#wildcards.find(
      ([test, pattern]) => this.#covers(pattern, protocol, port) && test.test(name),
    )?.[1];
  }

  findAddress(address: IpAddress, protocol?: Protocol, port?: number): DomainPattern | undefined {
    return this.#exact
      .get(address)
      ?.find((pattern) => pattern.kind === "address" && this.#covers(pattern, protocol, port));
  }

  #covers(pattern: DomainPattern, protocol: Protocol | undefined, port: number | undefined) {
    if (protocol !== undefined && pattern.protocol !== "both" && pattern.protocol !== protocol)
      return false;
    if (port === undefined) return true;
    if (pattern.port !== undefined) return pattern.port === port;
    return this.#everyPort || port === 80 || port === 443;
  }
}

/** A star matches any run of name characters, dots included. */
function expression(host: string): RegExp {
  const parts = host.split(/\*+/).map((part) => part.replace(/[.\\^$+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[a-z0-9._-]*")}$`);
}
