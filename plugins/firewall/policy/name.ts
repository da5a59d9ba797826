/** Host names in one canonical form, so that matching never depends on spelling. */
import { domainToASCII } from "node:url";

/** A lower-case host name in A-labels, without a trailing dot. */
export type HostName = string;

const longestName = 253;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The canonical form of a name: lower case, A-labels for IDN, no trailing dot. Undefined where it is no name at all
 * (empty label, too long, a character that no name has), so a caller can only deny it.
 */
export function canonicalHostName(written: string): HostName | undefined {
  if (written.length > longestName + 1) return undefined;
  const plain = /^[\x21-\x7e]+$/.test(written) ? written.toLowerCase() : domainToASCII(written);
  const name = plain.endsWith(".") ? plain.slice(0, -1) : plain;
  if (name === "" || name.length > longestName) return undefined;
  return name.split(".").every((part) => label.test(part)) ? name : undefined;
}
