/** Certificates for tests, made by `openssl`: an authority, and the certificates it signs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Ending, run } from "../support/child.js";
import { folder } from "../support/folder.js";

export interface Pair {
  /** Of files. */
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Pair {
  /** `names`: `DNS:build-1,IP:127.0.0.1`. Files of that name are written over. */
  issue(subject: string, names?: string, key?: "ec" | "rsa"): Promise<Pair>;
}

const KEYS = {
  ec: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
  rsa: ["-newkey", "rsa:2048"],
} as const;

export async function authority(t: Ending): Promise<Authority> {
  const directory = folder(t);
  const make = async (
    subject: string,
    extra: readonly string[],
    key: keyof typeof KEYS = "ec",
  ): Promise<Pair> => {
    const certPath = join(directory, `${subject}.pem`);
    const keyPath = join(directory, `${subject}.key`);
    const { code, stderr } = await run("openssl", [
      ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/O=Reeve/CN=${subject}`],
      ...KEYS[key],
      ...["-keyout", keyPath, "-out", certPath, ...extra],
    ]);
    if (code !== 0) throw new Error(stderr);
    const [cert = "", text = ""] = await Promise.all(
      [certPath, keyPath].map((path) => readFile(path, "utf8")),
    );
    return { certPath, keyPath, cert, key: text };
  };
  const own = await make("authority", []);
  return {
    ...own,
    issue: (subject, names = "IP:127.0.0.1", key) =>
      make(
        subject,
        [
          ...["-CA", own.certPath, "-CAkey", own.keyPath, "-addext", `subjectAltName=${names}`],
          ...["-addext", "basicConstraints=critical,CA:FALSE"],
        ],
        key,
      ),
  };
}
