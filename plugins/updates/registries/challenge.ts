/** A registry that wants a token of its own (`WWW-Authenticate: Bearer realm=…`) says where it is given. */
import type { Credential } from "./contract.js";
import { credentialFor } from "./credentials.js";

/** The token; undefined where the answer asks for no such thing or none is given. */
export async function bearerToken(
  response: Response,
  url: string,
  credentials: readonly Credential[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const challenge = parameters(response.headers.get("www-authenticate") ?? "");
  const realm = challenge?.get("realm");
  if (!challenge || !realm || !URL.canParse(realm)) return undefined;
  const address = new URL(realm);
  if (!/^https?:$/.test(address.protocol)) return undefined;
  for (const name of ["service", "scope"]) {
    const value = challenge.get(name);
    if (value) address.searchParams.set(name, value);
  }
  // The place that gives tokens gets the credential of the registry only over the registry's own origin or with one of its own.
  const own = credentialFor(address.href, credentials);
  const given = own ?? (secure(address, url) ? credentialFor(url, credentials) : undefined);
  const answer = await fetch(address, {
    headers: given?.authorization.startsWith("Basic ")
      ? { authorization: given.authorization }
      : {},
    signal,
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    return undefined;
  }
  const { token, access_token } = (await answer.json()) as Record<string, unknown>;
  const found = token ?? access_token;
  return typeof found === "string" ? found : undefined;
}

const secure = (address: URL, url: string): boolean => address.origin === new URL(url).origin;

/** Parameters of a Bearer challenge. */
function parameters(header: string): ReadonlyMap<string, string> | undefined {
  const [, rest] = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header) ?? [];
  if (rest === undefined) return undefined;
  return new Map(
    [...rest.matchAll(/([a-z_]+)=(?:"([^"]*)"|([^\s,"]+))/gi)].map(
      ([, name = "", quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ""],
    ),
  );
}
