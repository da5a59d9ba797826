/** Checks `credential` blocks. */
import { FirewallError } from "../errors.js";
import { parseDestination } from "../policy/destination.js";
import { isCredentialHeader } from "../sandbox/credentials.js";

export function hostFault(host: string): string | undefined {
  try {
    parseDestination(host.trim());
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    return `${thrown.message}.`;
  }
}

export function headerFault(header: string): string | undefined {
  return isCredentialHeader(header)
    ? undefined
    : `\`${header}\` is not a header that can contain a credential.`;
}
