/** `-secure`: the certificate and the TLS options. */
import { readFileSync } from "node:fs";
import type { ServerOptions } from "node:https";
import type { SecureVersion } from "node:tls";
import { isKnownCipher, opensslName } from "../compat/ciphers.js";
import type { Flags } from "./flags.js";
import { StartupError } from "./host.js";

const versions: Readonly<Record<string, SecureVersion>> = {
  "1.0": "TLSv1",
  "1.1": "TLSv1.1",
  "1.2": "TLSv1.2",
  "1.3": "TLSv1.3",
};

export function tlsOf(flags: Flags): ServerOptions {
  const minVersion = versions[flags["tls-min-version"]];
  if (!minVersion) {
    throw new StartupError(
      `-tls-min-version ${flags["tls-min-version"]} is not one of 1.0, 1.1, 1.2 and 1.3.`,
    );
  }
  const suites = flags["cipher-suites"]
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean)
    .map(opensslName);
  const unknown = suites.find((name) => !isKnownCipher(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `There is no cipher suite ${unknown}; -list-cipher-suites prints those there are.`,
    );
  }
  return {
    cert: fileOf(flags.cert, "certificate"),
    key: fileOf(flags.key, "key"),
    minVersion,
    ...(suites.length > 0 ? { ciphers: [...suites, ...TLS_1_3].join(":").toUpperCase() } : {}),
  };
}

/** Like with the other server, the suites of TLS 1.3 are fixed. */
const TLS_1_3 = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
];

/** By their names in the IANA registry: those that the existing server lists and this host has. */
export const cipherSuites = (): readonly string[] =>
  SUITES.filter((name) => isKnownCipher(opensslName(name)));

const SUITES: readonly string[] = [
  ...["RSA_WITH_AES_128_CBC_SHA", "RSA_WITH_AES_256_CBC_SHA"],
  ...["RSA_WITH_AES_128_GCM_SHA256", "RSA_WITH_AES_256_GCM_SHA384"],
  ...["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"],
  ...["ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE_ECDSA_WITH_AES_256_CBC_SHA"],
  ...["ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE_RSA_WITH_AES_256_CBC_SHA"],
  ...["ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"],
  ...["ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE_RSA_WITH_AES_256_GCM_SHA384"],
  ...["ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"],
].map((name) => `TLS_${name}`);

function fileOf(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : "it cannot be read";
    throw new StartupError(`The ${what} ${path} is needed for -secure, and ${why}.`);
  }
}
