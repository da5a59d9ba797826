/** A destination of requests that is one host, without its subdomains: `api.example.org`, `http://a.example:8080`. */
import { FirewallError } from "../errors.js";
import { parseDomainPattern } from "./pattern.js";

export interface RequestDestination {
  readonly protocol: "http" | "https";
  /** A canonical name or address. */
  readonly host: string;
  readonly port: number;
}

/** Without a prefix it is https. @throws {FirewallError} `invalid_domain`, `domain_with_path` */
export function parseDestination(text: string): RequestDestination {
  const { kind, protocol: written, host, port } = parseDomainPattern(text);
  if (kind === "wildcard") {
    throw new FirewallError("invalid_domain", `Invalid host '${text}': it must be one host`);
  }
  const protocol = written === "http" || port === 80 ? "http" : "https";
  if (protocol === "https" && kind === "address") {
    const reason = "certificates are checked by name";
    throw new FirewallError("invalid_domain", `Invalid host '${text}': ${reason}`);
  }
  return { protocol, host, port: port ?? (protocol === "http" ? 80 : 443) };
}
