/** Names of headers that a configuration may set. */

/** The server sets these itself. */
const framing = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Why it cannot name a header of a response. */
export function badHeader(name: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    return `\`${name.slice(0, 80)}\` cannot be the name of a header`;
  }
  if (!framing.has(name.toLowerCase())) return undefined;
  return `the header \`${name}\` is set by the server itself`;
}
