/** The client's certificate, if the server's authority signed it. */
import type { PeerCertificate } from "node:tls";
import type { ClientCertificate } from "../decide/verify/evidence.js";

/** The used part of a TLS socket; absent on others. */
interface Shown {
  readonly authorized?: boolean;
  getPeerCertificate?(): Partial<PeerCertificate>;
}

export function certificateOf(socket: object): ClientCertificate | undefined {
  const shown = socket as Shown;
  if (shown.authorized !== true) return undefined;
  const { subject, subjectaltname = "", fingerprint256 } = shown.getPeerCertificate?.() ?? {};
  if (fingerprint256 === undefined) return undefined;
  const common: unknown = subject?.CN;
  return {
    subject: typeof common === "string" ? common : "",
    names: namesIn(subjectaltname),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/**
 * `DNS:a.example.com, IP Address:192.0.2.7` without the kinds. Node quotes a name that could
 * pass for several; quoted names are ignored.
 */
export const namesIn = (written: string): readonly string[] =>
  written.includes('"')
    ? []
    : written
        .split(", ")
        .map((each) => each.replace(/^(DNS|IP Address|email|URI):/, ""))
        .filter((name) => name !== "");
