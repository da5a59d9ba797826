/** The certificate authority of a run, and all places where programs look for trusted certificates. */
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, getCACertificates } from "node:tls";
import { Authority } from "../proxy/certificates.js";
import type { Interception } from "../proxy/context.js";
import { certificatesIn, javaKeyStore } from "../proxy/java-key-store.js";

export interface Trust {
  readonly interception: Interception;
  /** Mounts, by their paths inside. */
  readonly files: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string>>;
}

/** Bundles that C libraries and tools read by default, by distribution. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
const javaStores = [
  "/etc/ssl/certs/java/cacerts",
  "/etc/pki/java/cacerts",
  "/usr/lib/jvm/*/lib/security/cacerts",
  "/usr/lib/jvm/*/jre/lib/security/cacerts",
];

const authorityInside = "/run/awf/ca.crt";
const bundleInside = "/run/awf/ca-bundle.crt";

/** Creates an authority that is valid for a day, with its files in the work directory. */
export async function makeTrust(
  workDirectory: string,
  javaHome: string | undefined,
): Promise<Trust> {
  const authority = await Authority.create("AWF Session CA");
  const write = (name: string, content: string | Buffer, mode = 0o644): string => {
    const path = join(workDirectory, name);
    writeFileSync(path, content, { mode });
    return path;
  };
  const own = write("ca.crt", authority.certificate);
  write("ca.key", await authority.privateKey(), 0o600);
  const known = systemBundles.find((path) => existsSync(path));
  const bundleText = `${known === undefined ? getCACertificates("bundled").join("\n") : readFileSync(known, "utf8")}\n${authority.certificate}`;
  const bundle = write("ca-bundle.crt", bundleText);
  const store = write("cacerts", javaKeyStore(certificatesIn(bundleText)));
  const stores = globSync([
    ...javaStores,
    ...(javaHome ? [join(javaHome, "lib/security/cacerts")] : []),
  ]);
  return {
    interception: {
      contextFor: (name) => authority.contextFor(name),
      trust: createSecureContext({
        ca: [...getCACertificates("default"), ...getCACertificates("system")],
      }),
    },
    files: new Map([
      [authorityInside, own],
      [bundleInside, bundle],
      ...existing(systemBundles).map((path) => [path, bundle] as const),
      ...existing(stores).map((path) => [path, store] as const),
    ]),
    environment: {
      SSL_CERT_FILE: bundleInside,
      CURL_CA_BUNDLE: bundleInside,
      REQUESTS_CA_BUNDLE: bundleInside,
      PIP_CERT: bundleInside,
      GIT_SSL_CAINFO: bundleInside,
      CARGO_HTTP_CAINFO: bundleInside,
      AWS_CA_BUNDLE: bundleInside,
      NODE_EXTRA_CA_CERTS: authorityInside,
      DENO_CERT: authorityInside,
    },
  };
}

/** Real paths, each once. */
function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}
