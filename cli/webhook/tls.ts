/** `-secure`: the certificate and what TLS it may be used with. */
import { readFileSync } from "node:fs";
import type { ServerOptions } from "node:https";
import { getCiphers, type SecureVersion } from "node:tls";
import type { Flags } from "./flags.js";
import { Unstartable } from "./unstartable.js";

const versions: Readonly<Record<string, SecureVersion>> = {
  "1.0": "TLSv1",
  "1.1": "TLSv1.1",
  "1.2": "TLSv1.2",
  "1.3": "TLSv1.3",
};

export function tlsOf(flags: Flags): ServerOptions {
  const minVersion = versions[flags["tls-min-version"]];
  if (!minVersion) {
    throw new Unstartable(
      `-tls-min-version ${flags["tls-min-version"]} is not one of 1.0, 1.1, 1.2 and 1.3.`,
    );
  }
  const suites = flags["cipher-suites"]
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = suites.find((name) => !getCiphers().includes(name.toLowerCase()));
  if (unknown !== undefined) {
    throw new Unstartable(
      `There is no cipher suite ${unknown}; -list-cipher-suites prints those there are.`,
    );
  }
  return {
    cert: fileOf(flags.cert, "certificate"),
    key: fileOf(flags.key, "key"),
    minVersion,
    ...(suites.length > 0 ? { ciphers: suites.join(":").toUpperCase() } : {}),
  };
}

function fileOf(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : "it cannot be read";
    throw new Unstartable(`The ${what} ${path} is needed for -secure, and ${why}.`);
  }
}
