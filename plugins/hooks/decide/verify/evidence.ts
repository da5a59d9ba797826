/** What proofs look at: a request before anything of its body is interpreted. */

export interface Evidence {
  readonly method: string;
  /** By lower-case name, repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The parameters of the hook's path. */
  readonly path: Readonly<Record<string, string>>;
  /** As it came over the wire. */
  readonly body: Uint8Array;
  /** Milliseconds since the epoch, when it arrived. */
  readonly now: number;
  /** What the client proved to the server with; absent without TLS or where it brought none. */
  readonly certificate?: ClientCertificate | undefined;
}

/** A client's certificate that the server's `client_ca` vouches for. */
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
