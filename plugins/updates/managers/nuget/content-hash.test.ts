/** The digest of a signed package is that of the package before it was signed. */
import { createHash } from "node:crypto";
import test from "ava";
import fc from "fast-check";
import { zipSync } from "fflate";
import { runs } from "../../../../tests/support/runs.js";
import { nugetContentHash } from "./registry/packages.js";

const DATE = new Date("2026-01-01T00:00:00");
const sha512 = (bytes: Uint8Array): string => createHash("sha512").update(bytes).digest("base64");

test("signed or not, wherever the signature stands", (t) => {
  const content = fc.uniqueArray(
    fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.uint8Array({ maxLength: 200 })),
    { selector: ([name]) => name, minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(content, fc.nat(5), fc.uint8Array(), (files, position, signature) => {
      const plain = zipSync(Object.fromEntries(files), { mtime: DATE });
      const signed = files.toSpliced(position, 0, [".signature.p7s", signature]);
      t.is(nugetContentHash(plain), sha512(plain));
      t.is(nugetContentHash(zipSync(Object.fromEntries(signed), { mtime: DATE })), sha512(plain));
    }),
  );
});

test("other files have no hash, and nothing throws", (t) => {
  t.is(nugetContentHash(new Uint8Array()), undefined);
  const archive = zipSync({ a: new Uint8Array(50), ".signature.p7s": new Uint8Array(9) });
  fc.assert(
    fc.property(fc.nat(archive.length - 1), fc.nat(255), fc.boolean(), (at, value, cut) => {
      const bytes = Uint8Array.from(cut ? archive.subarray(0, at) : archive.with(at, value));
      const hash = nugetContentHash(bytes);
      t.true(hash === undefined || hash.length === 88);
    }),
    { numRuns: runs(50, 500) },
  );
});
