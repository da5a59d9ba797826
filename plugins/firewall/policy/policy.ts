/** Decides which rule applies to a request. Pure; the proxy asks before it opens a connection. */
import { isInternal, parseIpAddress } from "./address.js";
import { canonicalHostName } from "./name.js";
import { type DomainPattern, parseDomainPattern } from "./pattern.js";
import { noPort, PatternList, type Protocol } from "./pattern-list.js";
import { parseUrlPattern, type UrlPattern, urlSubject } from "./url-pattern.js";

/** A verdict with the id of its rule, its entry if there is one, and the reason. */
export interface Verdict {
  readonly allowed: boolean;
  readonly rule: string;
  readonly pattern?: string;
  /** Why not, as one clause: `domain not in allowlist`. Empty when allowed. */
  readonly reason: string;
  /** When a request that exceeds a limit may be repeated. */
  readonly retryAfterSeconds?: number;
}

export interface PolicyText {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly urls?: readonly string[];
}

/** The destination as the program names it. */
export interface Destination {
  /** A name or an address in any spelling. */
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
}

const usualPorts: ReadonlyMap<number, Protocol> = new Map([
  [80, "http"],
  [443, "https"],
]);

const portProtocols: readonly Protocol[] = ["tcp", "https", "http"];

export class Policy {
  readonly allow: PatternList;
  readonly block: PatternList;
  readonly urls: readonly UrlPattern[];
  /** Allow every public name that is not blocked. */
  readonly learning: boolean;
  /** Domains that a user allowed when a connection asked for them. */
  readonly #answered: PatternList;
  /** Ports of entries, apart from 80 and 443. */
  readonly ports: ReadonlySet<number>;

  constructor(
    allow: readonly DomainPattern[],
    block: readonly DomainPattern[],
    urls: readonly UrlPattern[] = [],
    options: { readonly learning?: boolean; readonly answered?: readonly DomainPattern[] } = {},
  ) {
    this.allow = new PatternList(allow);
    this.block = new PatternList(block, true);
    const ports = allow.flatMap(({ port = 80 }) => (usualPorts.has(port) ? [] : port));
    this.ports = new Set(ports);
    this.urls = urls;
    this.learning = options.learning ?? false;
    this.#answered = new PatternList(options.answered ?? []);
  }

  /** @throws {FirewallError} for the first invalid entry */
  static parse(text: PolicyText): Policy {
    return new Policy(
      text.allow.map((entry) => parseDomainPattern(entry)),
      text.block.map((entry) => parseDomainPattern(entry, "block")),
      (text.urls ?? []).map(parseUrlPattern),
    );
  }

  /** Precedence: port, block, allow, deny. */
  decide({ host, port, protocol }: Destination): Verdict {
    const isUsual = usualPorts.get(port) === protocol;
    if (!isUsual && !this.ports.has(port)) {
      const listed = [80, 443, ...this.ports];
      return denied(
        protocol === "http" ? "deny-unsafe-ports" : "deny-connect-unsafe-ports",
        `port ${port} not allowed, only ${listed.slice(0, -1).join(", ")} and ${listed.at(-1)} are permitted`,
      );
    }
    const address = parseIpAddress(host);
    if (address !== undefined) return this.#decideAddress(address, protocol, port);
    const name = canonicalHostName(host);
    if (name === undefined) return denied("deny-malformed-name", "not a domain name");
    const blocked = this.block.findName(name, undefined, port);
    if (blocked) return blockedBy(blocked);
    const found = this.allow.findName(name, protocol, port);
    if (found) return allowedBy(found);
    if (!isUsual) {
      return denied("deny-port", `the allowlist does not have ${name} with port ${port}`);
    }
    const answered = this.#answered.findName(name, protocol, port);
    if (answered) return { ...answeredBefore, pattern: answered.text };
    if (this.learning) return learned;
    if (protocol === "https" && this.#urlHost(name)) return urlRule("allow-url-host");
    return notListed;
  }

  /** The verdict of the first protocol that may use the port; the last one's denial if none may. */
  decidePort(host: string, port: number): Verdict & { readonly protocol: Protocol } {
    for (const protocol of portProtocols) {
      const verdict = this.decide({ host, port, protocol });
      if (verdict.allowed) return { ...verdict, protocol };
    }
    return { ...this.decide({ host, port, protocol: "tcp" }), protocol: "tcp" };
  }

  /** Whether an entry limits the port to the protocol. */
  limitsPort(port: number, protocol: Protocol): boolean {
    return this.allow.patterns.some((entry) => entry.port === port && entry.protocol === protocol);
  }

  /** Whether the name may be looked up. The protocol is not known yet. */
  decideLookup(host: string): Verdict {
    const name = canonicalHostName(host);
    if (name === undefined || parseIpAddress(host) !== undefined) {
      return denied("deny-malformed-name", "not a domain name");
    }
    const blocked = this.block.findName(name, undefined, noPort);
    if (blocked) return blockedBy(blocked);
    const found = this.allow.findName(name);
    if (found) return allowedBy(found);
    const answered = this.#answered.findName(name);
    if (answered) return { ...answeredBefore, pattern: answered.text };
    if (this.learning) return learned;
    return this.#urlHost(name) ? urlRule("allow-url-host") : notListed;
  }

  /**
   * Whether an allowed name may be reached at this address. Public DNS must not lead to internal addresses; an address
   * on the allow list may be used.
   */
  decideResolved(address: string, protocol: Protocol, port?: number): Verdict {
    const canonical = parseIpAddress(address) ?? address;
    const blocked = this.block.findAddress(canonical, undefined, port);
    if (blocked) return blockedBy(blocked);
    const found = this.allow.findAddress(canonical, protocol, port);
    if (found) return allowedBy(found);
    if (!isInternal(canonical)) return { allowed: true, rule: "allow-public-address", reason: "" };
    return denied(
      "deny-internal-address",
      `resolves to ${canonical}, an address inside this machine or its network`,
    );
  }

  /** Decides about a visible URL. Without URL patterns the decision about the domain stands. */
  decideUrl(url: URL, method: string): Verdict {
    if (this.urls.length === 0) return { allowed: true, rule: "allow-any-url", reason: "" };
    const subject = urlSubject(url);
    if (subject !== undefined && url.protocol === "https:") {
      const matching = this.urls.filter((pattern) => pattern.expression.test(subject));
      const found = matching.find(({ methods }) => methods === undefined || methods.has(method));
      if (found) return { ...urlRule("allow-url"), pattern: found.text };
      if (matching.length > 0) {
        return denied("deny-method", `${method} is not a method that the list allows for this URL`);
      }
    }
    return denied("deny-url", "URL not in the list of allowed URLs");
  }

  #urlHost(name: string): boolean {
    return this.urls.some(({ hostExpression }) => hostExpression.test(name));
  }

  #decideAddress(address: string, protocol: Protocol, port: number): Verdict {
    const blocked = this.block.findAddress(address, undefined, port);
    if (blocked) return blockedBy(blocked);
    const found = this.allow.findAddress(address, protocol, port);
    if (found) return allowedBy(found);
    return denied(
      address.includes(":") ? "deny-raw-ipv6" : "deny-raw-ipv4",
      "addresses are denied unless they are in the allowlist themselves",
    );
  }
}

const notListed: Verdict = denied("deny-default", "domain not in allowlist");
const answeredBefore: Verdict = { allowed: true, rule: "allow-asked-run", reason: "" };
const learned: Verdict = { allowed: true, rule: "allow-learning", reason: "" };

function denied(rule: string, reason: string): Verdict {
  return { allowed: false, rule, reason };
}

function urlRule(rule: string): Verdict {
  return { allowed: true, rule, reason: "" };
}

function allowedBy(pattern: DomainPattern): Verdict {
  const limit =
    pattern.protocol !== "both"
      ? `${pattern.protocol}-only`
      : pattern.port === undefined
        ? "both"
        : "port";
  return {
    allowed: true,
    rule: `allow-${limit}-${form(pattern)}`,
    pattern: pattern.text,
    reason: "",
  };
}

function blockedBy(pattern: DomainPattern): Verdict {
  return {
    allowed: false,
    rule: `deny-blocked-${form(pattern)}`,
    pattern: pattern.text,
    reason: `blocked by '${pattern.text}'`,
  };
}

function form({ kind }: DomainPattern): string {
  return kind === "wildcard" ? "regex" : kind;
}
