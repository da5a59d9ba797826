/** Selects the credential for a URL. */
import type { Credential } from "./contract.js";

/** The one with the longest path among those with the same scheme, host and port whose path is a prefix in whole segments. */
export function credentialFor(
  url: string,
  credentials: readonly Credential[],
): Credential | undefined {
  const { origin, pathname } = new URL(url);
  return credentials
    .filter((credential) => {
      const own = new URL(credential.url);
      const path = own.pathname.replace(/\/*$/, "/");
      return own.origin === origin && `${pathname}/`.startsWith(path);
    })
    .toSorted((a, b) => b.url.length - a.url.length)[0];
}

/** Without user and password, for messages and logs. */
export function shown(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  parsed.search = "";
  return parsed.href;
}
