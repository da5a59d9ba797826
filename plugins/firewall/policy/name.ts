/** Host names in canonical form, so that matching does not depend on spelling. */
import { domainToASCII } from "node:url";

/** Lower case, in A-labels, without a trailing dot. */
export type HostName = string;

const longestName = 253;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The canonical form; undefined for an invalid name (empty label, too long, bad character), which callers must deny.
 */
export function canonicalHostName(written: string): HostName | undefined {
  if (written.length > longestName + 1) return undefined;
  const plain = /^[\x21-\x7e]+$/.test(written) ? written.toLowerCase() : domainToASCII(written);
  const name = plain.endsWith(".") ? plain.slice(0, -1) : plain;
  if (name === "" || name.length > longestName) return undefined;
  return name.split(".").every((part) => label.test(part)) ? name : undefined;
}
