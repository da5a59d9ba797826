/** The destination of an HTTP request. All its parts that name a host must agree. Pure. */
import { parseIpAddress } from "../policy/address.js";
import { canonicalHostName } from "../policy/name.js";
import type { Protocol } from "../policy/pattern-list.js";

/** How the request arrived, and what that says about its destination. */
export type RequestOrigin =
  /** To the explicit proxy. */
  | { readonly kind: "explicit" }
  /** To port 80 of an address, or to a listed one, from a program that uses no proxy. */
  | { readonly kind: "transparent"; readonly address: string; readonly port?: number }
  | { readonly kind: "tunnelled"; readonly host: string; readonly port: number }
  /** Inside decrypted TLS, whose name was checked. */
  | { readonly kind: "intercepted"; readonly host: string; readonly port: number };

export interface RequestHead {
  /** The request target as sent. */
  readonly target: string;
  /** Every `Host` header, as sent. */
  readonly hosts: readonly string[];
}

export type RequestTarget =
  | {
      readonly kind: "target";
      readonly host: string;
      readonly port: number;
      readonly protocol: Protocol;
      /** Path and query for the origin. */
      readonly path: string;
      readonly url: string;
    }
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "misaligned"; readonly host: string; readonly reason: string };

export function requestTarget(
  { target, hosts }: RequestHead,
  origin: RequestOrigin,
): RequestTarget {
  if (hosts.length > 1) return malformed("more than one Host header");
  const protocol = origin.kind === "intercepted" ? "https" : "http";
  const header =
    hosts[0] === undefined || hosts[0] === "" ? undefined : authority(hosts[0], protocol);
  if (header === "malformed") return malformed("the Host header is not a host");
  const absolute = target.startsWith("/") || target === "*" ? undefined : absoluteForm(target);
  if (absolute === "malformed") return malformed("the request target is not a URL");
  if (origin.kind === "explicit" && !absolute)
    return malformed("a request to a proxy needs a whole URL");
  const named = absolute ?? header ?? authorityOf(origin);
  if (!named) return malformed("the request names no host");
  const path = absolute?.path ?? (target === "*" ? "*" : target);
  const known = authorityOf(origin);
  if (absolute && header && !same(absolute, header)) {
    return misaligned(named.host, "the URL and the Host header name different hosts");
  }
  if (known && origin.kind !== "transparent" && !same(named, known)) {
    return misaligned(
      named.host,
      `the Host header names another host than the connection (${known.host})`,
    );
  }
  const url = `${protocol}://${bracketed(named.host)}${isDefault(named.port, protocol) ? "" : `:${named.port}`}${path === "*" ? "" : path}`;
  return { kind: "target", host: named.host, port: named.port, protocol, path, url };
}

interface Authority {
  readonly host: string;
  readonly port: number;
}

function authorityOf(origin: RequestOrigin): Authority | undefined {
  switch (origin.kind) {
    case "explicit":
      return undefined;
    case "transparent":
      return { host: origin.address, port: origin.port ?? 80 };
    case "tunnelled":
      return { host: origin.host, port: origin.port };
    case "intercepted":
      return { host: origin.host, port: origin.port };
  }
}

/** Parses `host[:port]` into a canonical name or address and a port. */
export function authority(text: string, protocol: Protocol): Authority | "malformed" {
  const [, bracket, plain, written] =
    /^(?:(\[[0-9a-f:.%]+\])|([^\s:/?#@[\]\\]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const name = bracket ?? plain;
  if (name === undefined) return "malformed";
  const host = parseIpAddress(name) ?? canonicalHostName(name);
  const port = written === undefined ? (protocol === "https" ? 443 : 80) : Number(written);
  return host === undefined || port < 1 || port > 65535 ? "malformed" : { host, port };
}

function absoluteForm(target: string): (Authority & { readonly path: string }) | "malformed" {
  const [, text, path = ""] = /^http:\/\/([^/?#]*)([^#\s]*)$/i.exec(target) ?? [];
  if (text === undefined) return "malformed";
  const found = authority(text, "http");
  if (found === "malformed") return "malformed";
  return { ...found, path: path.startsWith("/") ? path : `/${path}` };
}

function same(one: Authority, other: Authority): boolean {
  return one.host === other.host && one.port === other.port;
}

const isDefault = (port: number, protocol: Protocol) => port === (protocol === "https" ? 443 : 80);
const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);
const malformed = (reason: string): RequestTarget => ({ kind: "malformed", reason });
const misaligned = (host: string, reason: string): RequestTarget => ({
  kind: "misaligned",
  host,
  reason,
});
