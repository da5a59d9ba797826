/** Stores a request in a run's record and restores it. */
import { isUtf8 } from "node:buffer";
import type { Incoming } from "../decide/incoming.js";
import type { TokenClaims } from "../decide/verify/token-results.js";
import type { StoredBody, StoredRequest } from "./api.js";
import type { Redactor } from "./redactor.js";

/** Replaces a binary body that contains a secret. */
const SECRET = "(secret)";
/** Bytes of a body that is stored whole. */
const MOST = 128 * 1024;
/** Characters of JSON that a stored body may take. */
const MOST_WRITTEN = 160 * 1024;
/** Bytes stored of a longer body. */
const BEGINNING = 16 * 1024;
/** Bodies up to this size never exceed `MOST_WRITTEN`. */
const HARMLESS = MOST_WRITTEN / 6;

/** `rawHeaders`: names and values in turn, in the order of arrival. */
export function storeRequest(
  request: Incoming,
  hidden: Redactor,
  rawHeaders: readonly string[] = Object.entries(request.headers).flat(),
): StoredRequest {
  const { method, path, query, remoteIp, claims } = request;
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    headers.push(name, hidden.value(name, rawHeaders[index + 1] ?? ""));
  }
  const shownQuery = hidden.query(query);
  return {
    method,
    query: hidden.text(shownQuery),
    headers: headers.map((text) => hidden.text(text)),
    ...(path === undefined ? {} : { path }),
    ...(remoteIp === undefined ? {} : { remoteIp }),
    ...(claims === undefined ? {} : { claims: shownClaims(claims, hidden) }),
    body: keptBody(request.body, hidden),
  };
}

const shownClaims = (claims: TokenClaims, hidden: Redactor): TokenClaims =>
  JSON.parse(JSON.stringify(claims), (_name, value: unknown) =>
    typeof value === "string" ? hidden.text(value) : value,
  ) as TokenClaims;

function keptBody(body: Uint8Array, hidden: Redactor): StoredBody {
  const bytes = body.length;
  if (bytes > MOST) return { ...written(body.subarray(0, BEGINNING), hidden), bytes, cut: true };
  const whole = written(body, hidden);
  const isFit = bytes <= HARMLESS || JSON.stringify(whole).length <= MOST_WRITTEN;
  return isFit
    ? { ...whole, bytes }
    : { ...written(body.subarray(0, BEGINNING), hidden), bytes, cut: true };
}

function written(body: Uint8Array, hidden: Redactor): Pick<StoredBody, "text" | "base64"> {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (isUtf8(body)) return { text: hidden.text(buffer.toString("utf8")) };
  const seen = buffer.toString("latin1");
  return hidden.text(seen) === seen ? { base64: buffer.toString("base64") } : { text: SECRET };
}

/** The request without its redacted parts, or the reason why it cannot be restored. */
export function restored(request: StoredRequest, now: number): Incoming | string {
  const { method, path, query, headers, remoteIp, claims, body } = request;
  if (body.cut) {
    return `Only the beginning of its body of ${body.bytes} bytes is stored, so it cannot be replayed.`;
  }
  if ((body.text ?? body.base64 ?? "").includes("(secret)")) {
    return "Its body contains a secret, which is not stored, so it cannot be replayed.";
  }
  const restoredHeaders: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [written = "", value = ""] = headers.slice(index, index + 2);
    const name = written.toLowerCase();
    const before = restoredHeaders[name];
    if (value.includes("(secret)")) continue;
    restoredHeaders[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return {
    method,
    query: query
      .split("&")
      .filter((pair) => !pair.endsWith("=(secret)"))
      .join("&"),
    headers: restoredHeaders,
    remoteIp,
    body: storedBytes(body),
    ...(path === undefined ? {} : { path }),
    ...(claims === undefined ? {} : { claims }),
    now,
  };
}

export function storedBytes({ text, base64 }: Pick<StoredBody, "text" | "base64">): Uint8Array {
  return base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");
}
