/** A received request in the terms of hooks, not verified yet. */
import { isUtf8 } from "node:buffer";
import type { HookScope } from "../blocks/request.js";
import type { BodyReading } from "./body.js";
import type { ClientCertificate } from "./verify/evidence.js";
import type { TokenClaims, TokenResults } from "./verify/token-results.js";

export interface Incoming {
  /** As sent. */
  readonly method: string;
  /** By lower-case name, repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query: string;
  /** Without port; absent on a unix socket. */
  readonly remoteIp: string | undefined;
  /** The parameters of the hook's path. */
  readonly path?: Readonly<Record<string, string>> | undefined;
  /** As received. */
  readonly body: Uint8Array;
  /** Bytes of a decompressed body. @default 1 MiB */
  readonly bodyLimit?: number;
  /** Arrival, in milliseconds since the epoch. */
  readonly now: number;
  /** The client's certificate, if the server's `client_ca` signed it. */
  readonly certificate?: ClientCertificate | undefined;
  /** Absent unless the hook verifies tokens. */
  readonly tokens?: TokenResults | undefined;
  /** The claims of the verified token. */
  readonly claims?: TokenClaims | undefined;
}

/** The scope of expressions. */
export function scopeOf(
  request: Incoming,
  body: Omit<Extract<BodyReading, { ok: true }>, "ok">,
): HookScope {
  const scope: { -readonly [Name in keyof HookScope]: HookScope[Name] } = {
    header: request.headers,
    query: queryOf(request.query),
    path: request.path ?? NONE,
    method: request.method,
  };
  if ("payload" in body) scope.payload = body.payload;
  if (body.files) scope.files = body.files;
  if (body.text !== undefined) scope.body = body.text;
  if (request.claims) scope.claim = request.claims;
  if (request.remoteIp !== undefined) scope.remote_ip = request.remoteIp;
  return scope;
}

const NONE = Object.freeze({});

/** Omits parameters with an invalid escape; the first of a name counts. */
export function queryOf(written: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null);
  if (written === "") return query;
  if (!/[%+]/.test(written)) return plainQuery(written, query);
  for (const [name, value] of new URLSearchParams(`?${written}`)) {
    if (!(name in query)) query[name] = value;
  }
  return query;
}

/** The fast path without escapes. */
function plainQuery(written: string, query: Record<string, string>): Record<string, string> {
  for (const pair of written.split("&")) {
    if (pair === "") continue;
    const mark = pair.indexOf("=");
    const name = mark === -1 ? pair : pair.slice(0, mark);
    if (!(name in query)) query[name] = mark === -1 ? "" : pair.slice(mark + 1);
  }
  return query;
}

/**
 * Node reads header values as Latin-1. Those that are UTF-8 are decoded as such, so that a command gets the same bytes;
 * RFC 9110, section 5.5, leaves the encoding open.
 */
export function decodedHeaders(
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  const headers = headersOf(given) as Record<string, string>;
  for (const name in headers) {
    const value = headers[name] as string;
    if (/^[\t\x20-\x7e]*$/.test(value)) continue;
    const bytes = Buffer.from(value, "latin1");
    if (isUtf8(bytes)) headers[name] = bytes.toString("utf8");
  }
  return headers;
}

/** Node's headers as text by name; lists (`set-cookie`) are joined. */
export function headersOf(
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const name in given) {
    const value = given[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}
