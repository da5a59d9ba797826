/** `verify "mtls"`: the client's certificate, signed by the server's `client_ca`, is one of the configured ones. */
import type { Evidence } from "./evidence.js";

export interface MtlsRule {
  readonly subjects: readonly string[] | undefined;
  readonly names: readonly string[] | undefined;
  readonly fingerprints: readonly string[] | undefined;
}

export function isKnownClient(rule: MtlsRule, { certificate }: Evidence): boolean {
  if (!certificate) return false;
  const { subject, names, fingerprint } = certificate;
  if (rule.subjects?.includes(subject)) return true;
  if (rule.fingerprints?.some((each) => plainFingerprint(each) === fingerprint)) return true;
  return names.some((name) => rule.names?.includes(name));
}

/** `AB:CD:…` and `abcd…` are the same. */
const plainFingerprint = (written: string): string => written.replaceAll(":", "").toLowerCase();
