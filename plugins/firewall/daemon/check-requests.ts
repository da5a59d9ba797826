/** Checks `credential` and `limit` blocks. */
import { FirewallError } from "../errors.js";
import { parseDestination } from "../policy/destination.js";
import { parseDomainPattern } from "../policy/pattern.js";
import { isCredentialHeader } from "../sandbox/credentials.js";

export const hostFault = (host: string): string | undefined =>
  faultOf(() => parseDestination(host.trim()));

export const limitFault = (domain: string): string | undefined =>
  domain === "*" ? undefined : faultOf(() => parseDomainPattern(domain, "block"));

function faultOf(parse: () => unknown): string | undefined {
  try {
    parse();
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
