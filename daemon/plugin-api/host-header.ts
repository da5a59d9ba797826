import type { IncomingMessage } from "node:http";

/** A name or an address with an optional port; RFC 3986 has no other characters for it. */
const VALID = /^[A-Za-z0-9!$%&'()*+,.:;=[\]_~-]*$/;

/**
 * Whether a request has at most one `Host`, and a valid one (RFC 9112, 3.2): proxies and servers that disagree about it send
 * requests astray. Node itself answers HTTP/1.1 without any. `ctx.http` checks this before a handler is called.
 */
export function hasOneHost({ rawHeaders, headers }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts <= 1 && VALID.test(headers.host ?? "");
}
