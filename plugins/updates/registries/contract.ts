/**
 * How managers query the network. A lookup sends each request once for all repositories, keeps responses with their ETags, respects
 * rate limits, and caches failures for a while.
 */

export interface Lookup {
  /** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused`, `registry_garbled` */
  fetch<Digest>(question: RegistryRequest<Digest>): Promise<Digest>;
  /** Tags and branches of a git repository, tags peeled. @throws UpdatesError as `fetch` */
  references(url: string): Promise<readonly GitReference[]>;
  /** The same lookup that revalidates cached responses, for newly announced releases. */
  fresh(): Lookup;
}

export interface RegistryRequest<Digest> {
  readonly url: string;
  readonly method?: "GET" | "HEAD";
  readonly accept?: string;
  /** Extracts plain data from the response; must not keep the whole text. @throws if the response is invalid */
  digest(answer: RegistryResponse): Digest | Promise<Digest>;
  /** Distinguishes requests to the same address. */
  readonly purpose: string;
}

export interface RegistryResponse {
  readonly url: string;
  /** `name` in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

export interface GitReference {
  /** `refs/tags/v1.2.3`, `refs/heads/main`. */
  readonly name: string;
  /** The commit, not the tag object. */
  readonly oid: string;
}

/** The lookup shared by all repositories. */
export interface KeptLookup extends Lookup {
  /** Uses cached responses since a time only, in milliseconds since the epoch. @default now */
  fresh(since?: number): Lookup;
  /** Uses cached responses only, however old. @throws UpdatesError `lookup_failed` if there is none */
  known(): Lookup;
}

/** Stores responses between runs; `read` returns `undefined` on a miss. Keys are opaque, values plain data. */
export interface LookupCache {
  read(key: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  write(key: string, answer: CachedAnswer): void;
}
export interface CachedAnswer {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Milliseconds since the epoch. */
  readonly checked: number;
  readonly digest: unknown;
}

/** A credential for a host. The most specific URL wins. */
export interface Credential {
  /** `https://npm.acme.example/private`: scheme, host and port must be equal, and the path a prefix. */
  readonly url: string;
  /** The `Authorization` header: `Bearer …`, `Basic …`. Never logged, never in errors, never sent to another host on redirects. */
  readonly authorization: string;
}
