/** Patterns for whole URLs, which the proxy sees in decrypted HTTPS. */
import { FirewallError } from "../errors.js";
import { parseIpAddress } from "./address.js";
import { parseDomainPattern } from "./pattern.js";

export interface UrlPattern {
  /** As written. */
  readonly text: string;
  /** The canonical host; may contain `*`. */
  readonly host: string;
  /** Matches a canonical host name, anchored. */
  readonly hostExpression: RegExp;
  /** Matches `host/path?query`, anchored. */
  readonly expression: RegExp;
  /** Absent: every method. */
  readonly methods?: ReadonlySet<string>;
}

/**
 * Parses one pattern, with the methods that it is limited to: `GET|HEAD https://a.example/x/*`. `*` is any run of
 * characters within a path segment, `**` crosses segments.
 * @throws {FirewallError} `invalid_url_pattern`, `url_not_https`, `url_without_path`, or the code of its host
 */
export function parseUrlPattern(text: string): UrlPattern {
  const [, methods, written = ""] = /^(?:([A-Z]+(?:\|[A-Z]+)*) +)?(.*)$/s.exec(text.trim()) ?? [];
  if (/^(\*+|\.\*)$/.test(written)) throw tooBroad(text);
  if (!written.startsWith("https://")) {
    throw new FirewallError(
      "url_not_https",
      `URL patterns must start with https:// (got: ${text})`,
    );
  }
  const rest = written.slice("https://".length);
  const slash = rest.indexOf("/");
  const host = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? "" : rest.slice(slash);
  const onlyHost = path.replace(/^\/$/, "") === "";
  if (host === "" || /^[*.]+$/.test(host) || (onlyHost && host.includes("*"))) throw tooBroad(text);
  if (onlyHost) {
    throw new FirewallError(
      "url_without_path",
      `URL pattern "${text}" must include a path component`,
    );
  }
  if (/[\s"'`\\#]/.test(path)) {
    throw invalid(`URL pattern "${text}" contains a character that no URL has`);
  }
  const name = canonicalHost(host, text);
  const hosts = hostSource(name);
  return {
    text,
    host: name,
    hostExpression: new RegExp(`^${hosts}$`),
    expression: new RegExp(`^${hosts}${pathSource(path)}$`, "s"),
    ...(methods !== undefined && { methods: new Set(methods.split("|")) }),
  };
}

/** `host/path?query` of a request; undefined for a URL that hides its destination. */
export function urlSubject(url: URL): string | undefined {
  const path = decoded(url.pathname);
  if (path === undefined || /(^|[/\\])\.\.([/\\]|$)/.test(path) || /%2f|%5c/i.test(url.pathname)) {
    return undefined;
  }
  const host = url.hostname.replace(/\.$/, "");
  // A pattern names no port, so that it covers the usual one only.
  return `${host}${url.port === "" ? "" : `:${url.port}`}${url.pathname}${url.search}`;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function canonicalHost(host: string, text: string): string {
  try {
    const address = parseIpAddress(host);
    return address ?? parseDomainPattern(host).host;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    const message = `URL pattern "${text}" has a host that is not allowed: ${thrown.message}`;
    throw new FirewallError(thrown.code, message, thrown.detail);
  }
}

function hostSource(host: string): string {
  return host.split("*").map(literally).join("[a-z0-9._-]*");
}

function pathSource(path: string): string {
  return path
    .split(/(\*+)/)
    .map((part) => (part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : literally(part)))
    .join("");
}

function literally(text: string): string {
  return text.replace(/[.\\^$+?()[\]{}|*]/g, "\\$&");
}

function tooBroad(text: string): FirewallError {
  return invalid(
    `URL pattern "${text}" is too broad and would bypass security controls`,
    "URL patterns must include a specific domain and path, e.g., https://github.com/org/*",
  );
}

function invalid(...lines: string[]): FirewallError {
  return new FirewallError("invalid_url_pattern", lines.join("\n"));
}
