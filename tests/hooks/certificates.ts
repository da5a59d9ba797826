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
  issue(subject: string, names?: string): Promise<Pair>;
}

export async function authority(t: ExecutionContext): Promise<Authority> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-certificates-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const make = async (subject: string, extra: readonly string[]): Promise<Pair> => {
    const certPath = join(directory, `${subject}.pem`);
    const keyPath = join(directory, `${subject}.key`);
    await execute("openssl", [
      ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/O=Reeve/CN=${subject}`],
      ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
      ...["-keyout", keyPath, "-out", certPath, ...extra],
    ]);
    const [cert, key] = await Promise.all(
      [certPath, keyPath].map((path) => readFile(path, "utf8")),
    );
    return { certPath, keyPath, cert: cert ?? "", key: key ?? "" };
  };
  const own = await make("authority", []);
  return {
    ...own,
    issue: (subject, names = "IP:127.0.0.1") =>
      make(subject, [
        ...["-CA", own.certPath, "-CAkey", own.keyPath, "-addext", `subjectAltName=${names}`],
        ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ]),
  };
}
