/** The address of an OpenID Connect issuer. */

/** HTTPS, or HTTP on this machine; without user, query and fragment (OpenID Connect Discovery 1.0, section 2). */
export function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "") return false;
  if (protocol === "https:") return true;
  return protocol === "http:" && /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/.test(hostname);
}
