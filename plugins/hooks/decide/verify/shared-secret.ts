/** The request carries the secret: `verify "token"`, `"bearer"` and `"basic"`. */
import { hash, timingSafeEqual } from "node:crypto";
import { isOneOf, type Secrets } from "./digest.js";
import { type Evidence, headerOf } from "./evidence.js";

export interface TokenRule {
  readonly secret: Secrets | undefined;
  readonly header: string | undefined;
  readonly prefix: string | undefined;
}

/** The secret after `prefix` is the whole header. */
export function hasToken(rule: TokenRule, { headers }: Pick<Evidence, "headers">): boolean {
  const written = headerOf(rule.header ?? "", headers);
  const prefix = rule.prefix ?? "";
  return written?.startsWith(prefix) === true && isOneOf(rule.secret, written.slice(prefix.length));
}

/** RFC 6750: `Authorization: Bearer …`, the scheme in any case. */
export function isBearer(
  rule: Pick<TokenRule, "secret">,
  { headers }: Pick<Evidence, "headers">,
): boolean {
  const credentials = credentialsOf("bearer", headers);
  return credentials !== undefined && isOneOf(rule.secret, credentials);
}

export interface BasicRule {
  readonly secret: Secrets | undefined;
  readonly user: string | undefined;
}

/** RFC 7617: user and password in Base64, in UTF-8. A password may have colons. */
export function isBasic(rule: BasicRule, { headers }: Pick<Evidence, "headers">): boolean {
  const credentials = credentialsOf("basic", headers);
  if (credentials === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return false;
  const [, user = "", password = ""] =
    /^([^:]*):([\s\S]*)$/.exec(Buffer.from(credentials, "base64").toString("utf8")) ?? [];
  const known = isOneOf(rule.secret, password);
  return isSameText(user, rule.user ?? "") && known;
}

const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));

function credentialsOf(scheme: string, headers: Evidence["headers"]): string | undefined {
  const [, written = "", credentials] =
    /^([A-Za-z]+) +([^\s]+)\s*$/.exec(headerOf("authorization", headers) ?? "") ?? [];
  return written.toLowerCase() === scheme ? credentials : undefined;
}
