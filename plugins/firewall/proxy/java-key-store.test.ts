import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ava from "ava";
import { needs, program } from "../../../tests/support/needs.js";
import { Authority } from "./certificates.js";
import { certificatesIn, javaKeyStore } from "./java-key-store.js";

const test = needs(ava, program("/usr/bin/keytool", "keytool"));

// A Java virtual machine starts: a small machine may take its time.
test.beforeEach((t) => t.timeout(60_000));

test("Java's keytool reads the store and its certificates", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "awf-java-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const [one, other] = await Promise.all([
    Authority.create("One CA"),
    Authority.create("Other CA"),
  ]);
  const file = join(directory, "cacerts");
  writeFileSync(file, javaKeyStore(certificatesIn(`${one.certificate}\n${other.certificate}`)));
  const listing = execFileSync(
    "/usr/bin/keytool",
    ["-list", "-rfc", "-keystore", file, "-storepass", "changeit"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const fingerprints = (pem: string) =>
    certificatesIn(pem)
      .map((der) => new X509Certificate(der).fingerprint256)
      .sort();
  t.deepEqual(fingerprints(listing), fingerprints(`${one.certificate}\n${other.certificate}`));
  t.is(listing.match(/Entry type: trustedCertEntry/g)?.length, 2);
});
