/** HMAC of bodies, compared in constant time. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { FileRequest } from "../request/file-request.js";

export type SignatureAlgorithm = "sha1" | "sha256" | "sha512";

export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Lower-case hexadecimal, with or without `sha256=`. In a list with commas only parts with the
 * prefix count.
 */
export function signaturesIn(written: string, algorithm: SignatureAlgorithm): readonly string[] {
  const prefix = `${algorithm}=`;
  if (!written.includes(",")) return [withoutPrefix(written, prefix)];
  return written
    .split(",", MOST)
    .filter((part) => part.startsWith(prefix))
    .map((part) => withoutPrefix(part, prefix));
}

/** Senders that rotate keys send a few; more is an attack. */
const MOST = 64;

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

export function isSigned(
  body: Uint8Array,
  secret: string,
  algorithm: SignatureAlgorithm,
  signatures: readonly string[],
): boolean {
  const wanted = createHmac(algorithm, secret).update(body).digest("hex");
  let holds = false;
  for (const signature of signatures) holds = sameText(signature, wanted) || holds;
  return holds;
}

/** Tolerated difference of the clocks in milliseconds. */
const TOLERANCE = 300_000;

/** `undefined`: a header is missing. A text: the reason. */
export function scalrProblem(
  request: FileRequest,
  secret: string,
  now: number,
): string | undefined | false {
  const signature = request.headers["X-Signature"];
  const date = request.headers.Date;
  if (typeof signature !== "string" || typeof date !== "string") return undefined;
  const hash = createHmac("sha1", secret).update(request.body).update(date).digest("hex");
  if (!sameText(signature, hash)) return `invalid payload signature ${signature}`;
  const sent = /^[A-Z][a-z]{2} \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} UTC$/.test(date)
    ? Date.parse(date)
    : Number.NaN;
  if (Number.isNaN(sent))
    return `parsing time ${JSON.stringify(date)} as "Mon 02 Jan 2006 15:04:05 MST"`;
  return Math.abs(now - sent) > TOLERANCE ? "invalid payload signature outdated" : false;
}
