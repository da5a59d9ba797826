/** Gets a token from the issuer that a registry names (`WWW-Authenticate: Bearer realm=…`). */
import type { Credential } from "./contract.js";
import { credentialFor } from "./credentials.js";
import type { Egress } from "./egress.js";
import { exchange } from "./transport.js";

export interface Challenge {
  /** The `WWW-Authenticate` header. */
  readonly challenge: string;
  /** The requested URL. */
  readonly url: string;
  readonly credentials: readonly Credential[];
  readonly signal: AbortSignal;
  readonly egress: Egress;
}

/** The token; `undefined` if the challenge is no bearer challenge or the issuer returns none. */
export async function bearerToken(refused: Challenge): Promise<string | undefined> {
  const { url, credentials, signal, egress } = refused;
  const challenge = parameters(refused.challenge);
  const realm = challenge?.get("realm");
  if (!challenge || !realm || !URL.canParse(realm)) return undefined;
  const address = new URL(realm);
  if (!/^https?:$/.test(address.protocol)) return undefined;
  for (const name of ["service", "scope"]) {
    const value = challenge.get(name);
    if (value) address.searchParams.set(name, value);
  }
  // The issuer's own credential; the registry's if both share a host.
  const given =
    credentialFor(address.href, credentials) ??
    (sameOrigin(address, url) ? credentialFor(url, credentials) : undefined);
  const { status, body } = await exchange({
    url: address.href,
    method: "GET",
    headers: given?.authorization.startsWith("Basic ")
      ? { authorization: given.authorization }
      : {},
    signal,
    egress,
    largest: 1024 * 1024,
  });
  if (status !== 200) return undefined;
  const { token, access_token } = JSON.parse(new TextDecoder().decode(body)) as Record<
    string,
    unknown
  >;
  const found = token ?? access_token;
  return typeof found === "string" ? found : undefined;
}

const sameOrigin = (address: URL, url: string): boolean => address.origin === new URL(url).origin;

/** The parameters of a bearer challenge. */
function parameters(header: string): ReadonlyMap<string, string> | undefined {
  const [, rest] = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header) ?? [];
  if (rest === undefined) return undefined;
  return new Map(
    [...rest.matchAll(/([a-z_]+)=(?:"([^"]*)"|([^\s,"]+))/gi)].map(
      ([, name = "", quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ""],
    ),
  );
}
