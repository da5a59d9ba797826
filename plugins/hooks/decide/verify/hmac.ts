/** `verify "hmac"`: a header has the HMAC of the body, or of the configured `signed` text. */
import type { Expression } from "reeve/plugin";
import {
  CANDIDATES,
  type DigestAlgorithm,
  decoded,
  type Encoding,
  isSignedBy,
  type Secrets,
  signaturesIn,
  textKeys,
} from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import { signedScope } from "./signed-scope.js";
import { isRecent } from "./timestamp.js";

export interface HmacRule {
  readonly secret: Secrets | undefined;
  readonly header: string | undefined;
  readonly algorithm: DigestAlgorithm | undefined;
  readonly prefix: string | undefined;
  readonly encoding: Encoding | undefined;
  /** @default the body's bytes */
  readonly signed?: Expression<Plain> | undefined;
  readonly timestamp?: Expression<Plain> | undefined;
  /** Milliseconds. */
  readonly tolerance: number | undefined;
}

type Plain = string | number | boolean;

export const FIVE_MINUTES = 300_000;

export function isSigned(rule: HmacRule, evidence: Evidence): boolean {
  const written = headerOf(rule.header ?? "", evidence.headers);
  if (written === undefined) return false;
  const { algorithm = "sha256" } = rule;
  const candidates = candidatesIn(written, algorithm, rule);
  if (candidates.length === 0) return false;
  const message = messageOf(rule, evidence);
  return (
    message !== undefined && isSignedBy(textKeys(rule.secret), algorithm, [message], candidates)
  );
}

/** `undefined` if the signed text is missing, or too old. */
function messageOf(rule: HmacRule, evidence: Evidence): string | Uint8Array | undefined {
  if (!rule.signed && !rule.timestamp) return evidence.body;
  const scope = signedScope(evidence);
  if (rule.timestamp) {
    const time = rule.timestamp.evaluate(scope);
    const tolerance = rule.tolerance ?? FIVE_MINUTES;
    if (time.kind !== "value" || !isRecent(String(time.value), evidence.now, tolerance)) {
      return undefined;
    }
  }
  if (!rule.signed) return evidence.body;
  const message = rule.signed.evaluate(scope);
  return message.kind === "value" ? String(message.value) : undefined;
}

function candidatesIn(
  written: string,
  algorithm: DigestAlgorithm,
  { prefix, encoding = "hex" }: HmacRule,
): readonly Buffer[] {
  if (prefix !== undefined) return signaturesIn(written, ",", prefix, encoding);
  const named = `${algorithm}=`;
  return written
    .split(",", CANDIDATES)
    .map((part) => part.trim())
    .map((part) => decoded(part.startsWith(named) ? part.slice(named.length) : part, encoding))
    .filter((signature) => signature !== undefined);
}
