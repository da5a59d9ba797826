/** Tokens as an issuer makes them, signed with Node's own functions, not with the library that verifies them. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const set = (...keys: readonly KeyObject[]): string =>
  JSON.stringify({
    keys: keys.map((key, index) => ({ ...key.export({ format: "jwk" }), kid: `k${index}` })),
  });

export const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>> | string;
  readonly key?: KeyObject;
  readonly signed?: (text: string) => Buffer;
}

export const ISSUER = "https://issuer.example";
export const now = (): number => Math.floor(Date.now() / 1000);
export const usual = () => ({ iss: ISSUER, aud: "deploy", exp: now() + 600, repository_id: "7" });

export function token({
  header = {},
  claims = {},
  key = rsa.privateKey,
  signed,
}: TokenParts = {}): string {
  const body = typeof claims === "string" ? claims : { ...usual(), ...claims };
  const text = `${encoded({ alg: "RS256", kid: "k0", ...header })}.${encoded(body)}`;
  const signature = signed ? signed(text) : sign("sha256", Buffer.from(text), key);
  return `${text}.${signature.toString("base64url")}`;
}
