/** Certificates of listeners: read from their files, and read again when those change, without a connection lost. */
import { readFile, stat } from "node:fs/promises";
import type { Server } from "node:https";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { errorMessage, ReeveError } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { TlsFiles } from "../../plugin-api/http.js";

/** How often files are looked at for a new certificate. Milliseconds. */
const RENEWAL = 5000;

/** Equal text: the same files, used in the same way. */
export const tlsText = (files: TlsFiles | undefined): string =>
  files === undefined
    ? ""
    : JSON.stringify([
        ...[files.cert, files.key, files.clientCa, files.clientCert, files.minVersion],
        ...[files.ciphers, files.http2],
      ]);

/** Without them OpenSSL would end TLS 1.3. */
const SUITES_13 = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
];

/** Forward secrecy and authenticated encryption: no CBC, no RSA key exchange. */
const SUITES_12 = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].flatMap(
  (suite) => [`ECDHE-ECDSA-${suite}`, `ECDHE-RSA-${suite}`],
);

/** What a server asks of clients, for as long as it is open. */
export const clientOptions = ({ clientCa, clientCert }: TlsFiles) => ({
  requestCert: clientCa !== undefined,
  rejectUnauthorized: clientCa !== undefined && clientCert !== "optional",
});

/** @throws ReeveError `bad_certificate`, with the file that is wrong */
async function readTls(files: TlsFiles): Promise<SecureContextOptions> {
  const read = async (path: string, what: string): Promise<Buffer> => {
    try {
      return await readFile(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      const why = code === "ENOENT" ? "there is no such file" : errorMessage(thrown);
      throw new ReeveError("bad_certificate", `The ${what} \`${path}\` cannot be read: ${why}.`);
    }
  };
  const options: SecureContextOptions = {
    cert: await read(files.cert, "certificate"),
    key: await read(files.key, "key"),
    ...(files.clientCa === undefined
      ? {}
      : { ca: await read(files.clientCa, "authority for clients") }),
    minVersion: files.minVersion === "1.3" ? "TLSv1.3" : "TLSv1.2",
    ciphers: [...SUITES_13, ...(files.ciphers ?? SUITES_12)].join(":"),
    honorCipherOrder: true,
  };
  try {
    createSecureContext(options);
  } catch (thrown) {
    throw new ReeveError(
      "bad_certificate",
      `The certificate \`${files.cert}\` and the key \`${files.key}\` cannot be used together.`,
      { help: "Both are PEM, the key without a passphrase, and of one pair.", cause: thrown },
    );
  }
  return options;
}

/** Gives the server what its files hold now, and from then on whatever they come to hold. Ends with the server. `every`: milliseconds. */
export async function keepCertificate(
  server: Server,
  files: TlsFiles,
  log: Log,
  every = RENEWAL,
): Promise<void> {
  let known = await stampOf(files);
  server.setSecureContext(await readTls(files));
  const renew = async (): Promise<void> => {
    const stamp = await stampOf(files);
    if (stamp === known) return;
    known = stamp;
    try {
      server.setSecureContext(await readTls(files));
      log.info("A listener has a new certificate", { cert: files.cert });
    } catch (thrown) {
      log.warn("A listener keeps its certificate", { reason: errorMessage(thrown) });
    }
  };
  const timer = setInterval(() => void renew(), every).unref();
  server.once("close", () => clearInterval(timer));
}

/** Changes with any of the files, also where a link leads elsewhere. */
async function stampOf({ cert, key, clientCa }: TlsFiles): Promise<string> {
  const paths = clientCa === undefined ? [cert, key] : [cert, key, clientCa];
  const stamps = paths.map((path) =>
    stat(path).then(
      ({ ino, mtimeMs, size }) => `${ino}.${mtimeMs}.${size}`,
      () => "none",
    ),
  );
  return (await Promise.all(stamps)).join(" ");
}
