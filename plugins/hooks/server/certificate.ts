/** The certificate that a client showed, where the server's authority vouches for it. */
import type { PeerCertificate } from "node:tls";
import type { ClientCertificate } from "../decide/verify/evidence.js";

/** What is needed of a TLS socket; other sockets have none of it. */
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
 * `DNS:a.example.com, IP Address:192.0.2.7` without the kinds. A name that could pretend to be several is quoted by Node,
 * and is none that anybody is let in for.
 */
export const namesIn = (written: string): readonly string[] =>
  written.includes('"')
    ? []
    : written
        .split(", ")
        .map((each) => each.replace(/^(DNS|IP Address|email|URI):/, ""))
        .filter((name) => name !== "");
