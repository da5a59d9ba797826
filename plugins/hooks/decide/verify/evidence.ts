/** The input of verifiers: a request whose body is not parsed. */

import type { TokenResults } from "./token-results.js";

export interface Evidence {
  readonly method: string;
  /** By lower-case name, repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The parameters of the hook's path. */
  readonly path: Readonly<Record<string, string>>;
  /** As received. */
  readonly body: Uint8Array;
  /** Arrival, in milliseconds since the epoch. */
  readonly now: number;
  /** The client's certificate; absent without TLS, or without one. */
  readonly certificate?: ClientCertificate | undefined;
  /** Absent where tokens are not verified. */
  readonly tokens?: TokenResults | undefined;
}

/** A client's certificate that the server's `client_ca` signed. */
export interface ClientCertificate {
  /** The common name of its subject. */
  readonly subject: string;
  /** Its alternative names without their kind: `build.example.com`, `192.0.2.7`. */
  readonly names: readonly string[];
  /** SHA-256 of the whole, in lower-case hexadecimal without colons. */
  readonly fingerprint: string;
}

export function headerOf(
  name: string,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(headers, lower) ? headers[lower] : undefined;
}
