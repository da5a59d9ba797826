/** Keyed digests, compared in constant time. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "reeve/plugin";

export type DigestAlgorithm = "sha1" | "sha256" | "sha512";
export type Encoding = "hex" | "base64";

/** Senders that rotate keys send a few; more is an attack. */
export const CANDIDATES = 16;

/** Whether a candidate is the digest of `message` under a key. Compares all of both. */
export function isSignedBy(
  keys: readonly Key[],
  algorithm: DigestAlgorithm,
  message: ReadonlyArray<string | Uint8Array>,
  candidates: readonly Buffer[],
): boolean {
  if (candidates.length === 0) return false;
  let holds = false;
  for (const key of keys) {
    const digest = createHmac(algorithm, key);
    for (const part of message) digest.update(part);
    const wanted = digest.digest();
    for (const candidate of candidates.slice(0, CANDIDATES)) {
      const equal = candidate.length === wanted.length && timingSafeEqual(candidate, wanted);
      holds = equal || holds;
    }
  }
  return holds;
}

export type Key = string | Uint8Array;

/** One or several: during a rotation there are two. */
export type Secrets = Secret | readonly Secret[];

export const listed = (secrets: Secrets | undefined): readonly Secret[] =>
  secrets === undefined ? [] : isList(secrets) ? secrets : [secrets];

const isList = (secrets: Secrets): secrets is readonly Secret[] => Array.isArray(secrets);

/** The bytes of the text are the key. */
export const textKeys = (secrets: Secrets | undefined): readonly Key[] =>
  listed(secrets).map((secret) => secret.reveal());

/** Whether `candidate` is one of the secrets. Compares all of them. */
export function isOneOf(secrets: Secrets | undefined, candidate: string): boolean {
  let holds = false;
  for (const secret of listed(secrets)) holds = secret.equals(candidate) || holds;
  return holds;
}

/** Strict, unlike `Buffer.from`. */
export function decoded(written: string, encoding: Encoding): Buffer | undefined {
  const proper =
    encoding === "hex" ? /^(?:[0-9A-Fa-f]{2}){20,64}$/ : /^[A-Za-z0-9+/]{26,88}={0,2}$/;
  return proper.test(written) ? Buffer.from(written, encoding) : undefined;
}

/** The signatures of a list, each after `prefix`. */
export const signaturesIn = (
  written: string,
  separator: string,
  prefix: string,
  encoding: Encoding,
): readonly Buffer[] =>
  written
    .split(separator, CANDIDATES)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => decoded(part.slice(prefix.length), encoding))
    .filter((signature) => signature !== undefined);
