/** `verify "jwt"` and `verify "oidc"`: the attributes, and where the token is. The server verifies it before the decision. */
import type { Expression } from "reeve/plugin";
import type { Secrets } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";
import type { TokenClaims } from "./token-results.js";

export const SYMMETRIC = ["HS256", "HS384", "HS512"] as const;
export const ASYMMETRIC = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] as const),
  ...(["ES256", "ES384", "ES512", "EdDSA"] as const),
];
type JwtAlgorithm = (typeof SYMMETRIC)[number] | (typeof ASYMMETRIC)[number];

export interface JwtRule {
  readonly secret: Secrets | undefined;
  /** @default `Authorization`, after `Bearer` */
  readonly header: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | readonly string[] | undefined;
  readonly algorithms: readonly JwtAlgorithm[] | undefined;
  /** A JSON Web Key Set, or a public key or certificate in PEM. */
  readonly keys: string | undefined;
  readonly require?: Expression<boolean> | undefined;
  /** Milliseconds. */
  readonly tolerance: number | undefined;
}

/** The names of `require`. */
export interface ClaimScope extends Readonly<Record<string, unknown>> {
  readonly claim: TokenClaims;
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
  readonly method: string;
}

export const usesToken = (kind: string | undefined): boolean => kind === "jwt" || kind === "oidc";

export function tokenIn(
  { header }: Pick<JwtRule, "header">,
  headers: Evidence["headers"],
): string | undefined {
  const written = headerOf(header ?? "authorization", headers);
  const [, token] = /^(?:Bearer +)?([\w-]+(?:\.[\w-]*)+)$/i.exec(written ?? "") ?? [];
  return token;
}

export const hasVerifiedToken = (rule: JwtRule, { headers, tokens }: Evidence): boolean =>
  tokenIn(rule, headers) !== undefined && tokens?.verified.has(rule) === true;
