/** Parses lines of `access.log` and `access.jsonl`. */
import type { AccessFields } from "./entry.js";

export interface LogEntry extends AccessFields {
  /** The requested name; `-` if there is none. */
  readonly domain: string;
  readonly isAllowed: boolean;
  readonly isHttps: boolean;
  /** From `access.jsonl` only. */
  readonly rule?: string;
  readonly pattern?: string;
  readonly reason?: string;
  readonly pid?: number;
  readonly cmdline?: string;
  readonly comm?: string;
  readonly inode?: string;
}

/** Squid's URL for the closed connection of a health check. */
export const noiseUrl = "error:transaction-end-before-headers";

/** Undefined for any other line, such as a truncated one. */
export function parseLine(line: string): LogEntry | undefined {
  return line.startsWith("{") ? fromJson(line) : fromText(line);
}

const shape =
  /^(\d+(?:\.\d+)?) (\S+):(\d+|-) (\S+) (\S+):(\d+|-) (\S+) (\S+) (\d+) (\S+) (\S+) "(.*)"/;

function fromText(line: string): LogEntry | undefined {
  const found = shape.exec(line);
  if (!found) return undefined;
  const [, time = "0", clientIp = "-", clientPort = "-", host = "-", destIp = "-", destPort = "-"] =
    found;
  const [protocol = "-", method = "-", status = "0", decision = "-", url = "-", agent = "-"] =
    found.slice(7);
  return derive({
    timestamp: Number(time),
    clientIp,
    clientPort,
    host,
    destIp,
    destPort,
    protocol,
    method,
    statusCode: Number(status),
    decision,
    url,
    userAgent: agent.replaceAll('\\"', '"'),
  });
}

const textFields = [
  "clientIp",
  "clientPort",
  "host",
  "destIp",
  "destPort",
  "protocol",
  "method",
  "decision",
  "url",
  "userAgent",
] as const;
const extraTexts = ["rule", "pattern", "reason", "cmdline", "comm", "inode"] as const;

function fromJson(line: string): LogEntry | undefined {
  let read: Record<string, unknown>;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { timestamp, statusCode, pid } = read;
  if (typeof timestamp !== "number" || typeof statusCode !== "number") return undefined;
  if (textFields.some((name) => typeof read[name] !== "string")) return undefined;
  const texts = Object.fromEntries(textFields.map((name) => [name, read[name]])) as Record<
    (typeof textFields)[number],
    string
  >;
  const extras = Object.fromEntries(
    extraTexts
      .filter((name) => typeof read[name] === "string")
      .map((name) => [name, read[name] as string]),
  );
  return {
    ...derive({ ...texts, timestamp, statusCode }),
    ...extras,
    ...(typeof pid === "number" ? { pid } : {}),
  };
}

function derive(fields: AccessFields): LogEntry {
  return {
    ...fields,
    domain: domainOf(fields.method, fields.host, fields.url),
    isAllowed: isAllowed(fields.decision),
    isHttps: fields.method === "CONNECT",
  };
}

/** False for a denied request and for a connection without a request. */
export function isAllowed(decision: string): boolean {
  return !decision.startsWith("TCP_DENIED") && !decision.startsWith("NONE");
}

/** The name in CONNECT's target, else in the Host header, else in the URL, without a port. */
export function domainOf(method: string, host: string, url: string): string {
  if (method === "CONNECT") return url.startsWith("error:") ? "-" : withoutPort(url);
  if (host !== "-") return withoutPort(host);
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(url) ?? [];
  return authority === undefined ? "-" : withoutPort(authority.replace(/^.*@/, ""));
}

function withoutPort(authority: string): string {
  const bare = authority.replace(/:\d+$/, "");
  return bare.startsWith("[") || !bare.includes(":") ? bare.replace(/^\[(.*)\]$/, "$1") : authority;
}
