/** Writes a Java trust store (JKS), which Java virtual machines read instead of a PEM bundle. */
import { createHash } from "node:crypto";

/** The default password of every installation's store, which holds no secret. */
const storePassword = "changeit";
const magic = 0xfeedfeed;
const version = 2;
const trustedCertificate = 2;

/** The DER contents of a PEM text. */
export function certificatesIn(pem: string): Buffer[] {
  const found = pem.matchAll(
    /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g,
  );
  return [...found].map(([, body = ""]) => Buffer.from(body, "base64"));
}

export function javaKeyStore(certificates: readonly Buffer[], now = Date.now()): Buffer {
  const entries = certificates.map((der, index) =>
    Buffer.concat([
      u32(trustedCertificate),
      text(`awf-${index}`),
      u64(now),
      text("X.509"),
      u32(der.length),
      der,
    ]),
  );
  const content = Buffer.concat([u32(magic), u32(version), u32(certificates.length), ...entries]);
  // The integrity check of the format: password, a fixed phrase, content.
  const digest = createHash("sha1")
    .update(Buffer.from(storePassword, "utf16le").swap16())
    .update("Mighty Aphrodite")
    .update(content)
    .digest();
  return Buffer.concat([content, digest]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([length, Buffer.from(value)]);
}
