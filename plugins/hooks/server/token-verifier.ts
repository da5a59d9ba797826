/** Verifies the tokens of requests: `verify "jwt"` and `verify "oidc"`. RFC 7515, 7519 and 8725. */
import type { JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import type { HookBlock } from "../blocks/blocks.js";
import { type Incoming, queryOf } from "../decide/incoming.js";
import { textKeys } from "../decide/verify/digest.js";
import { type JwtRule, tokenIn, usesToken } from "../decide/verify/jwt.js";
import { publicKeysIn } from "../decide/verify/public-keys.js";
import type { TokenClaims } from "../decide/verify/token-results.js";
import { IssuerKeys, KeysUnavailable } from "./issuer-keys.js";

const MINUTE = 60_000;

/** Whether a request needs `withTokens` before it is decided. */
export const needsTokens = ({ values }: HookBlock): boolean =>
  values.verify.some(({ label }) => usesToken(label));

export class TokenVerifier {
  readonly #issuers = new Map<string, IssuerKeys>();
  readonly #fixed = new WeakMap<object, readonly JWTVerifyGetKey[]>();
  readonly #clock: () => number;

  /** `clock`: milliseconds that never go back. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The request with the results of its tokens. Never rejects for what the sender wrote. */
  async withTokens(request: Incoming, { values }: HookBlock): Promise<Incoming> {
    const verified = new Map<object, TokenClaims>();
    const problems: string[] = [];
    let unavailable = false;
    for (const { label, values: own } of values.verify) {
      if (!usesToken(label)) continue;
      const rule = own as JwtRule;
      const token = tokenIn(rule, request.headers);
      if (token === undefined) continue;
      try {
        const claims = await this.#claims(token, rule, label === "oidc", request.now);
        const unmet = unmetRequirement(rule, claims, request);
        if (unmet === undefined) verified.set(own, claims);
        else problems.push(`\`verify "${label}"\`: ${unmet}`);
      } catch (thrown) {
        unavailable ||= thrown instanceof KeysUnavailable;
        problems.push(`\`verify "${label}"\`: ${(thrown as Error).message}`);
      }
    }
    const [claims] = verified.values();
    return {
      ...request,
      tokens: { verified, problems, unavailable },
      ...(claims === undefined ? {} : { claims }),
    };
  }

  async #claims(token: string, rule: JwtRule, isOpen: boolean, now: number): Promise<TokenClaims> {
    const { issuer = "", audience = [], secret, algorithms, tolerance = MINUTE } = rule;
    const options: JWTVerifyOptions = {
      algorithms: [...(algorithms ?? (secret ? ["HS256"] : ["RS256", "ES256", "EdDSA"]))],
      audience: typeof audience === "string" ? audience : [...audience],
      issuer,
      requiredClaims: ["iss", "aud", "exp"],
      clockTolerance: tolerance / 1000,
      currentDate: new Date(now),
    };
    const sources = isOpen ? [this.#keysOf(issuer).find] : await this.#fixedKeys(rule);
    let problem: unknown = new Error("there is no key");
    for (const source of sources) {
      try {
        return await verifiedBy(token, source, options);
      } catch (thrown) {
        problem = thrown;
        if (!isOtherKey(thrown)) break;
      }
    }
    throw problem;
  }

  #keysOf(issuer: string): IssuerKeys {
    const present = this.#issuers.get(issuer);
    if (present) return present;
    const keys = new IssuerKeys(issuer, this.#clock);
    this.#issuers.set(issuer, keys);
    return keys;
  }

  async #fixedKeys(rule: JwtRule): Promise<readonly JWTVerifyGetKey[]> {
    const present = this.#fixed.get(rule);
    if (present) return present;
    const sources = await fixedKeys(rule);
    this.#fixed.set(rule, sources);
    return sources;
  }
}

/** `secret` first: the check of the block ensures that there is only one of both. */
async function fixedKeys({ secret, keys }: JwtRule): Promise<readonly JWTVerifyGetKey[]> {
  if (secret) return textKeys(secret).map((key) => async () => Buffer.from(key));
  const found = publicKeysIn(keys ?? "");
  if (typeof found === "string") return [];
  if (found.kind === "key") return [async () => found.key];
  const { createLocalJWKSet } = await import("jose");
  return [createLocalJWKSet({ keys: [...found.keys] })];
}

/** Tries each key of a set if the token names none. @throws what `jose` throws, and KeysUnavailable */
async function verifiedBy(
  token: string,
  source: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<TokenClaims> {
  const { jwtVerify } = await import("jose");
  try {
    return (await jwtVerify(token, source, options)).payload;
  } catch (thrown) {
    if (codeOf(thrown) !== "ERR_JWKS_MULTIPLE_MATCHING_KEYS") throw thrown;
    let problem = thrown;
    for await (const key of thrown as AsyncIterable<CryptoKey>) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (wrong) {
        problem = wrong;
        if (!isOtherKey(wrong)) break;
      }
    }
    throw problem;
  }
}

const isOtherKey = (thrown: unknown): boolean =>
  codeOf(thrown) === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED";

const codeOf = (thrown: unknown): unknown => (thrown as { readonly code?: unknown }).code;

function unmetRequirement(
  { require }: JwtRule,
  claim: TokenClaims,
  { headers, query, path = {}, method }: Incoming,
): string | undefined {
  if (!require) return undefined;
  const outcome = require.evaluate({ claim, header: headers, query: queryOf(query), path, method });
  if (outcome.kind === "value") return outcome.value ? undefined : "`require` does not hold";
  return outcome.kind === "missing" ? `\`${outcome.what}\` is missing` : outcome.message;
}
