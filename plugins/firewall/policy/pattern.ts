/** Entries of allow and block lists. */
import { FirewallError } from "../errors.js";
import { parseIpAddress } from "./address.js";
import { canonicalHostName, type HostName } from "./name.js";
import { isPublicSuffix } from "./public-suffix.js";

/** The limit that the entry's prefix sets. */
type PatternProtocol = "both" | "http" | "https";

export interface DomainPattern {
  /** As written, for messages and logs. */
  readonly text: string;
  readonly kind: "plain" | "wildcard" | "address";
  readonly protocol: PatternProtocol;
  /** The canonical name, wildcard or address, without prefix and port. */
  readonly host: string;
  /** The only port that the entry covers; absent: 80 and 443. */
  readonly port?: number;
}

/**
 * Parses one entry. A public suffix is too broad to allow, but may be blocked.
 * @throws {FirewallError} `invalid_domain`, `domain_with_path`
 */
export function parseDomainPattern(text: string, list: "allow" | "block" = "allow"): DomainPattern {
  const { protocol, rest } = withoutPrefix(text.trim());
  const written = rest.replace(/\/$/, "");
  if (written === "") throw invalid("Domain cannot be empty");
  refuseForeignCharacters(written);
  const { entry, ...port } = withoutPort(written, text, protocol);
  const address = parseIpAddress(entry);
  if (address !== undefined) return { text, kind: "address", protocol, host: address, ...port };
  refuseUrlParts(entry, text);
  refuseShape(entry);
  if (entry.includes("*"))
    return { text, kind: "wildcard", protocol, host: parseWildcard(entry, list), ...port };
  return { text, kind: "plain", protocol, host: parsePlain(entry, list), ...port };
}

/** Splits `host:port`, `user@host:port` and `[address]:port`. The user is not checked: SSH encrypts it. */
function withoutPort(
  written: string,
  text: string,
  protocol: PatternProtocol,
): { entry: string; port?: number } {
  if (parseIpAddress(written) !== undefined) return { entry: written };
  const [, host, digits] = /^(?:[\w.-]+@)?(\[[^\]]*\]|[^:@/?]+):(\d{1,5})$/.exec(written) ?? [];
  if (host === undefined) return { entry: written };
  const port = Number(digits);
  if (port < 1 || port > 65_535) {
    throw invalid(`Invalid domain '${text}': the port is not a number from 1 to 65535`);
  }
  if ((port === 443 && protocol === "http") || (port === 80 && protocol === "https")) {
    throw invalid(
      `Invalid domain '${text}': port ${port} is for ${port === 80 ? "http" : "https"} only`,
    );
  }
  return { entry: host, port };
}

function withoutPrefix(text: string): { protocol: PatternProtocol; rest: string } {
  const [prefix, scheme] = /^(https?):\/\//i.exec(text) ?? [];
  if (prefix === undefined || scheme === undefined) return { protocol: "both", rest: text };
  return { protocol: scheme.toLowerCase() as "http" | "https", rest: text.slice(prefix.length) };
}

function refuseForeignCharacters(entry: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const found = /[\s\u0000-\u001f\u007f"'`;#\\$(){}<>|&!,=]/u.exec(entry);
  if (found) {
    throw invalid(
      `Invalid domain ${JSON.stringify(entry)}: contains invalid character ${JSON.stringify(found[0])}`,
    );
  }
}

function refuseUrlParts(entry: string, text: string): void {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) {
    throw invalid(`Invalid domain '${text}': the only prefixes are http:// and https://`);
  }
  const [, scheme, rest] = /^(https?):?\/+(.+)$/i.exec(entry) ?? [];
  if (scheme !== undefined) {
    throw invalid(
      `Invalid domain '${text}': a prefix is written ${scheme.toLowerCase()}://${rest}`,
    );
  }
  if (/[/?]/.test(entry)) {
    throw new FirewallError("domain_with_path", `Invalid domain '${text}': contains a path`, entry);
  }
  if (entry.includes("@") && !entry.includes(":")) {
    throw invalid(`Invalid domain '${text}': a user needs a port, as in ${entry}:22`);
  }
  if (/[:@]/.test(entry)) {
    throw invalid(`Invalid domain '${text}': the port is not a number from 1 to 65535`);
  }
}

function refuseShape(entry: string): void {
  if (entry === "*") throw invalid("Pattern '*' matches all domains and is not allowed");
  if (entry === ".") throw invalid("Invalid domain: cannot be just a dot");
  if (/^[*.]+$/.test(entry)) throw invalid(`Pattern '${entry}' is too broad and is not allowed`);
  if (entry.includes("..")) throw invalid(`Invalid domain '${entry}': contains double dots`);
  const labels = entry.split(".");
  const stars = labels.filter((part) => part === "*").length;
  if (stars > 1 && stars >= labels.length - 1) {
    throw invalid(`Pattern '${entry}' has too many wildcard segments and is not allowed`);
  }
}

function parsePlain(entry: string, list: "allow" | "block"): HostName {
  const name = canonicalHostName(entry.replace(/^\./, ""));
  if (name === undefined) throw invalid(`Invalid domain '${entry}': not a domain name`);
  if (list === "allow" && isPublicSuffix(name)) {
    throw invalid(
      `Domain '${entry}' is a public suffix that anyone can register under and is not allowed`,
    );
  }
  return name;
}

function parseWildcard(entry: string, list: "allow" | "block"): string {
  // A label with a star is no valid name, so a placeholder replaces stars during canonicalization.
  const name = canonicalHostName(entry.replaceAll("*", "0wild0"))?.replaceAll("0wild0", "*");
  if (name === undefined) throw invalid(`Invalid domain '${entry}': not a domain name`);
  const tail = name.slice(name.lastIndexOf("*") + 1);
  if (list === "block") return name;
  if (!tail.includes(".")) throw invalid(`Pattern '${entry}' is too broad and is not allowed`);
  if (tail.startsWith(".") && isPublicSuffix(tail.slice(1))) {
    throw invalid(`Pattern '${entry}' covers a whole public suffix and is not allowed`);
  }
  return name;
}

function invalid(reason: string): FirewallError {
  return new FirewallError("invalid_domain", reason);
}
