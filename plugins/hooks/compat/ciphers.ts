/** Names of TLS cipher suites. */
import { getCiphers } from "node:tls";

/** OpenSSL's name of a suite, also from the standard's, such as `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`. */
export function opensslName(name: string): string {
  const [, keys = "", cipher] = /^TLS_(\w+?)_WITH_(\w+)$/i.exec(name) ?? [];
  if (cipher === undefined) return name;
  const plain = cipher
    .replace(/_CBC_/i, "_")
    .replace(/AES_(\d+)/i, "AES$1")
    .replace(/(CHACHA20_POLY1305)_SHA256/i, "$1");
  return (/^RSA$/i.test(keys) ? plain : `${keys}_${plain}`).replaceAll("_", "-");
}

/** By OpenSSL's name. */
export const isKnownCipher = (name: string): boolean => getCiphers().includes(name.toLowerCase());

/** Those of TLS 1.3. A server always has them. */
export const isFixedCipher = (name: string): boolean => /^TLS_/i.test(name);
