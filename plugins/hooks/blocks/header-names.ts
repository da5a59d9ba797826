/** Names of headers that a configuration may set. */

/** These say how the answer is sent, which is not for a hook to decide. */
const framing = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What is wrong with it as a name of an answer's header, in one sentence. */
export function badHeader(name: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    return `\`${name.slice(0, 80)}\` cannot be the name of a header`;
  }
  if (!framing.has(name.toLowerCase())) return undefined;
  return `the header \`${name}\` is set by the server itself`;
}
