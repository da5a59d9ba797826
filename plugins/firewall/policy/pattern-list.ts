/**
 * Finds the entry of a list that covers a name. The cost depends on the name's labels, not on the number of entries.
 */
import type { IpAddress } from "./address.js";
import type { HostName } from "./name.js";
import type { DomainPattern } from "./pattern.js";

/** An entry that is limited to one protocol does not cover the other. */
export type Protocol = "http" | "https";

export class PatternList {
  readonly patterns: readonly DomainPattern[];
  readonly #exact = new Map<string, DomainPattern[]>();
  readonly #wildcards: Array<readonly [RegExp, DomainPattern]> = [];

  constructor(patterns: readonly DomainPattern[]) {
    this.patterns = patterns;
    for (const pattern of patterns) {
      if (pattern.kind === "wildcard") this.#wildcards.push([expression(pattern.host), pattern]);
      else this.#exact.set(pattern.host, [...(this.#exact.get(pattern.host) ?? []), pattern]);
    }
  }

  /** The entry that covers the name: the name itself, then its nearest listed parent, then wildcards in order. */
  findName(name: HostName, protocol?: Protocol): DomainPattern | undefined {
    for (let from = 0; ; ) {
      const found = this.#exact.get(name.slice(from))?.find((pattern) => covers(pattern, protocol));
      if (found && found.kind === "plain") return found;
      const dot = name.indexOf(".", from);
      if (dot < 0) break;
      from = dot + 1;
    }
    return this.#wildcards.find(
      ([test, pattern]) => covers(pattern, protocol) && test.test(name),
    )?.[1];
  }

  findAddress(address: IpAddress, protocol?: Protocol): DomainPattern | undefined {
    return this.#exact
      .get(address)
      ?.find((pattern) => pattern.kind === "address" && covers(pattern, protocol));
  }
}

function covers(pattern: DomainPattern, protocol: Protocol | undefined): boolean {
  return protocol === undefined || pattern.protocol === "both" || pattern.protocol === protocol;
}

/** A star matches any run of name characters, dots included. */
function expression(host: string): RegExp {
  const parts = host.split(/\*+/).map((part) => part.replace(/[.\\^$+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[a-z0-9._-]*")}$`);
}
