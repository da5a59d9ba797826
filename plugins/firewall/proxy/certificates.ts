/** The certificate authority of one run and the certificates that it issues. */
// The X.509 library uses it for dependency injection.
import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface Issued {
  /** PEM, leaf first. */
  readonly cert: string;
  readonly key: string;
}

type Keys = webcrypto.CryptoKeyPair;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const validMs = 24 * 60 * 60 * 1000;
/** Tolerates a client's clock that is a little behind. */
const earlierMs = 5 * 60 * 1000;
const largestCache = 1000;

export class Authority {
  readonly #issuer: X509Certificate;
  readonly #keys: Keys;
  /** One key for all certificates: a new key costs more than a signature, and no certificate outlives the run. */
  readonly #leafKeys: Keys;
  readonly #leafKey: string;
  readonly #contexts = new Map<string, Promise<SecureContext>>();

  private constructor(issuer: X509Certificate, keys: Keys, leafKeys: Keys, leafKey: string) {
    this.#issuer = issuer;
    this.#keys = keys;
    this.#leafKeys = leafKeys;
    this.#leafKey = leafKey;
  }

  /** Creates an authority that is valid for a day. */
  static async create(commonName: string): Promise<Authority> {
    const [keys, leafKeys] = await Promise.all([makeKeys(), makeKeys()]);
    const issuer = await X509CertificateGenerator.createSelfSigned({
      ...lifetime(),
      serialNumber: serial(),
      name: `CN=${commonName}`,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    const exported = await webcrypto.subtle.exportKey("pkcs8", leafKeys.privateKey);
    return new Authority(issuer, keys, leafKeys, pem("PRIVATE KEY", Buffer.from(exported)));
  }

  /** PEM. */
  get certificate(): string {
    return `${this.#issuer.toString("pem")}\n`;
  }

  /** PEM. */
  async privateKey(): Promise<string> {
    return pem(
      "PRIVATE KEY",
      Buffer.from(await webcrypto.subtle.exportKey("pkcs8", this.#keys.privateKey)),
    );
  }

  async issue(name: string): Promise<Issued> {
    const leaf = await X509CertificateGenerator.create({
      ...lifetime(),
      serialNumber: serial(),
      subject: [{ CN: [name.slice(0, 64)] }],
      issuer: this.#issuer.subject,
      publicKey: this.#leafKeys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: isIP(name) ? "ip" : "dns", value: name }]),
      ],
    });
    return { cert: `${leaf.toString("pem")}\n${this.certificate}`, key: this.#leafKey };
  }

  contextFor(name: string): Promise<SecureContext> {
    const known = this.#contexts.get(name);
    if (known !== undefined) return known;
    if (this.#contexts.size >= largestCache) this.#contexts.clear();
    const made = this.issue(name).then((issued) =>
      createSecureContext({ ...issued, minVersion: "TLSv1.2" }),
    );
    this.#contexts.set(name, made);
    return made;
  }
}

function makeKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<Keys>;
}

function lifetime(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - earlierMs), notAfter: new Date(now + validMs) };
}

function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString("hex");
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
