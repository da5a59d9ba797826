/** The signing keys of an OpenID Connect issuer: discovered, fetched and cached. */
import type { JWTVerifyGetKey } from "jose";
import { isIssuer } from "../decide/verify/issuer.js";

/** Milliseconds. Older keys are fetched again; they are used for up to `STALE` if that fails. */
const FRESH = 600_000;
const STALE = 3_600_000;
/** Milliseconds between two attempts, so that a flood of unknown keys is one request. */
const COOLDOWN = 30_000;
/** The same while there are no keys. */
const FIRST_COOLDOWN = 5_000;
/** Milliseconds for each response. */
const PATIENCE = 5_000;
/** Bytes of a response. */
const LARGEST = 256 * 1024;

/** No usable keys: the issuer cannot be reached, or its response is wrong. The message says which. */
export class KeysUnavailable extends Error {}

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAt: number;
}

export class IssuerKeys {
  readonly #issuer: string;
  readonly #clock: () => number;
  #keys: Keys | undefined;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #attempt: Promise<void> | undefined;
  #problem = "";

  /** `clock`: milliseconds that never go back. */
  constructor(issuer: string, clock: () => number) {
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** @throws KeysUnavailable, and what `jose` throws for a token without a matching key */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#age >= FRESH) await this.#refresh();
    const keys = this.#keys;
    if (!keys || this.#age >= STALE) throw new KeysUnavailable(this.#problem);
    try {
      return await keys.find(header, token);
    } catch (thrown) {
      if ((thrown as { readonly code?: string }).code !== "ERR_JWKS_NO_MATCHING_KEY") throw thrown;
      await this.#refresh();
      const renewed = this.#keys;
      if (!renewed || renewed === keys) throw thrown;
      return await renewed.find(header, token);
    }
  };

  get #age(): number {
    return this.#keys ? this.#clock() - this.#keys.fetchedAt : Number.POSITIVE_INFINITY;
  }

  #refresh(): Promise<void> {
    const cooldown = this.#keys ? COOLDOWN : FIRST_COOLDOWN;
    if (!this.#attempt && this.#clock() - this.#attemptedAt >= cooldown) {
      this.#attemptedAt = this.#clock();
      this.#attempt = this.#fetch().finally(() => {
        this.#attempt = undefined;
      });
    }
    return this.#attempt ?? Promise.resolve();
  }

  async #fetch(): Promise<void> {
    try {
      const { createLocalJWKSet } = await import("jose");
      const base = this.#issuer.replace(/\/$/, "");
      const metadata = await json(`${base}/.well-known/openid-configuration`);
      if (metadata.issuer !== this.#issuer) {
        throw new Error("its metadata names another issuer");
      }
      const address = metadata.jwks_uri;
      if (typeof address !== "string" || !isKeyAddress(address, this.#issuer)) {
        throw new Error("its metadata has no `jwks_uri` with https");
      }
      const set = await json(address);
      const keys = createLocalJWKSet(set as unknown as Parameters<typeof createLocalJWKSet>[0]);
      this.#keys = { find: keys, fetchedAt: this.#clock() };
    } catch (thrown) {
      const { name, message, cause } = thrown as Error;
      const { code } = (cause ?? {}) as { readonly code?: string };
      const reason = name === "TimeoutError" ? "no response in 5 s" : (code ?? message);
      this.#problem = `the keys of ${this.#issuer} are not available: ${reason}`;
    }
  }
}

/** An issuer elsewhere cannot send the daemon to this machine. */
const isKeyAddress = (address: string, issuer: string): boolean =>
  isIssuer(address) && (address.startsWith("https:") || issuer.startsWith("http:"));

async function json(address: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(address, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${new URL(address).pathname} has the status ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > LARGEST) throw new Error("a response is longer than 256 KiB");
    parts.push(part);
  }
  const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (typeof value !== "object" || value === null) throw new Error("a response is not an object");
  return value as Readonly<Record<string, unknown>>;
}
