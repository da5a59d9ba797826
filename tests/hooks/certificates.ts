/** Certificates for tests, made by `openssl`: an authority, and the certificates it signs. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ExecutionContext } from "ava";

const execute = promisify(execFile);

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

export async function authority(t: ExecutionContext): Promise<Authority> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-certificates-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const make = async (
    subject: string,
    extra: readonly string[],
    key: keyof typeof KEYS = "ec",
  ): Promise<Pair> => {
    const certPath = join(directory, `${subject}.pem`);
    const keyPath = join(directory, `${subject}.key`);
    await execute("openssl", [
      ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/O=Reeve/CN=${subject}`],
      ...KEYS[key],
      ...["-keyout", keyPath, "-out", certPath, ...extra],
    ]);
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
