import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import ava from "ava";
import { output } from "../../../tests/support/child.js";
import { folder } from "../../../tests/support/folder.js";
import { needs, program } from "../../../tests/support/needs.js";
import { Authority } from "./certificates.js";
import { certificatesIn, javaKeyStore } from "./java-key-store.js";

const test = needs(ava, program("/usr/bin/keytool", "keytool"));

// A Java virtual machine starts: a small machine may take its time.
test.beforeEach((t) => t.timeout(90_000));

test("Java's keytool reads the store and its certificates", async (t) => {
  const [one, other] = await Promise.all([
    Authority.create("One CA"),
    Authority.create("Other CA"),
  ]);
  const cacerts = javaKeyStore(certificatesIn(`${one.certificate}\n${other.certificate}`));
  const file = join(folder(t, { cacerts }), "cacerts");
  const words = ["-list", "-rfc", "-keystore", file, "-storepass", "changeit"];
  const listing = output("/usr/bin/keytool", words);
  const fingerprints = (pem: string) =>
    certificatesIn(pem)
      .map((der) => new X509Certificate(der).fingerprint256)
      .sort();
  t.deepEqual(fingerprints(listing), fingerprints(`${one.certificate}\n${other.certificate}`));
  t.is(listing.match(/Entry type: trustedCertEntry/g)?.length, 2);
});
