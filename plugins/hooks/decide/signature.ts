/** Whether a request was sent by somebody who knows a secret: by a signature of its body, or by the secret itself. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "reeve/plugin";

export interface HmacRule {
  readonly secret: Secret;
  readonly header: string;
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly prefix: string | undefined;
  readonly encoding: "hex" | "base64";
}

/** `secret`, behind `prefix`, is the header's whole text. */
export function hasToken(
  rule: Pick<HmacRule, "secret" | "header" | "prefix">,
  headers: Readonly<Record<string, string>>,
): boolean {
  const written = headerOf(rule.header, headers);
  const prefix = rule.prefix ?? "";
  return written?.startsWith(prefix) === true && rule.secret.equals(written.slice(prefix.length));
}

function headerOf(name: string, headers: Readonly<Record<string, string>>): string | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(headers, lower) ? headers[lower] : undefined;
}

/** Senders that rotate keys send a few; more is an attempt to make us work. */
const CANDIDATES = 16;

/** `headers` by lower-case name; `body` as it came over the wire. */
export function isSigned(
  rule: HmacRule,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): boolean {
  const written = headerOf(rule.header, headers);
  if (written === undefined) return false;
  const candidates = candidatesIn(written, rule);
  if (candidates.length === 0) return false;
  const wanted = createHmac(rule.algorithm, rule.secret.reveal()).update(body).digest();
  let holds = false;
  for (const candidate of candidates) {
    const equal = candidate.length === wanted.length && timingSafeEqual(candidate, wanted);
    holds = equal || holds;
  }
  return holds;
}

function candidatesIn(written: string, rule: HmacRule): readonly Buffer[] {
  return written
    .split(",", CANDIDATES)
    .map((part) => signatureIn(part.trim(), rule))
    .filter((signature) => signature !== undefined);
}

function signatureIn(part: string, rule: HmacRule): Buffer | undefined {
  const prefix = rule.prefix ?? `${rule.algorithm}=`;
  const prefixed = part.startsWith(prefix);
  if (!prefixed && rule.prefix !== undefined) return undefined;
  return decoded(prefixed ? part.slice(prefix.length) : part, rule.encoding);
}

/** `Buffer.from` forgives everything; a signature is written properly or it is none. */
function decoded(written: string, encoding: HmacRule["encoding"]): Buffer | undefined {
  const proper =
    encoding === "hex" ? /^(?:[0-9A-Fa-f]{2}){20,64}$/ : /^[A-Za-z0-9+/]{26,88}={0,2}$/;
  return proper.test(written) ? Buffer.from(written, encoding) : undefined;
}
