/** The public keys of `verify "jwt"`: a JSON Web Key Set (RFC 7517) or PEM. */
import { createPublicKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";

type PublicKeys =
  | { readonly kind: "set"; readonly keys: readonly JWK[] }
  | { readonly kind: "key"; readonly key: KeyObject };

/** The keys, or what is wrong with the text. */
export function publicKeysIn(text: string): PublicKeys | string {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return PRIVATE;
  if (text.includes("-----BEGIN ")) {
    try {
      return { kind: "key", key: createPublicKey(text) };
    } catch {
      return "this is not a public key or certificate in PEM";
    }
  }
  const set = parsed(text);
  if (!isSet(set)) return 'this is neither PEM nor a JSON Web Key Set: `{"keys": […]}`';
  if (set.keys.length === 0) return "this set has no keys";
  for (const [index, key] of set.keys.entries()) {
    if (key.kty === "oct") return `key ${index + 1} of the set is a shared secret`;
    if ("d" in key) return PRIVATE;
    try {
      createPublicKey({ key: { ...key }, format: "jwk" });
    } catch {
      return `key ${index + 1} of the set is not a public key`;
    }
  }
  return { kind: "set", keys: set.keys };
}

const PRIVATE = "this contains a private key, which only the issuer may have";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isSet = (value: unknown): value is { readonly keys: readonly JWK[] } =>
  isObject(value) &&
  Array.isArray(value.keys) &&
  value.keys.every((key) => isObject(key) && typeof key.kty === "string");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
