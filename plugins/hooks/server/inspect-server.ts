/** What is wrong with the files of a server. */
import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { ConfigurationCheck } from "reeve/plugin";
import type { ServerBlock } from "../blocks/blocks.js";

type Report = ConfigurationCheck["report"];

/** Its certificate, key and CA. */
export async function inspectServer(
  { values: { tls } }: ServerBlock,
  report: Report,
): Promise<void> {
  if (!tls) return;
  const code = "bad_certificate";
  const read = async (name: "cert" | "key" | "client_ca"): Promise<Buffer | undefined> => {
    const path = tls.values[name];
    if (path === undefined) return undefined;
    return readFile(path).catch((thrown: NodeJS.ErrnoException) => {
      const host = thrown.code !== "ENOENT";
      const why = host ? "it cannot be read" : "there is no such file";
      report(tls.rangeOf(name), `\`${path}\`: ${why}`, { code, host, keeps: true });
      return undefined;
    });
  };
  const [cert, key, ca] = await Promise.all([read("cert"), read("key"), read("client_ca")]);
  if (key) await inspectKey(tls, report);
  if (!cert || !key || (tls.values.client_ca !== undefined && !ca)) return;
  try {
    createSecureContext({ cert, key, ...(ca ? { ca } : {}) });
  } catch {
    report(tls.rangeOf("key"), "the certificate does not match the key", {
      code,
      keeps: true,
      help: "both are PEM, the key without a passphrase, and of one pair",
    });
  }
}

async function inspectKey(
  tls: NonNullable<ServerBlock["values"]["tls"]>,
  report: Report,
): Promise<void> {
  const { key } = tls.values;
  const { mode } = await stat(key);
  if ((mode & 0o004) === 0) return;
  report(tls.rangeOf("key"), `the permissions of \`${key}\` let every user read the private key`, {
    severity: "warning",
    code: "exposed_key",
    host: true,
    help: `run \`chmod 640 ${key}\`, with the daemon's group as the file's group, or 600`,
  });
}
