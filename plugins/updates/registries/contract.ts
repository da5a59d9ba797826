/**
 * The one way managers ask the network. A lookup asks once for what many repositories want to know, keeps the answers with
 * their ETags, waits where a host asks it to, and remembers for a while what does not exist or does not answer.
 */

export interface Lookup {
  /** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused`, `registry_garbled` */
  fetch<Digest>(question: RegistryRequest<Digest>): Promise<Digest>;
  /** Tags and branches of a git repository, tags peeled. @throws UpdatesError as `fetch` */
  references(url: string): Promise<readonly GitReference[]>;
  /** The same lookup, but what is known from before is asked again (with its ETag): a release has just been announced. */
  fresh(): Lookup;
}

export interface RegistryRequest<Digest> {
  readonly url: string;
  readonly method?: "GET" | "HEAD";
  readonly accept?: string;
  /** What of an answer is kept; plain data. Must not keep the whole text. @throws for an answer that makes no sense */
  digest(answer: RegistryResponse): Digest | Promise<Digest>;
  /** Told apart from other questions of the same address by this word. */
  readonly purpose: string;
}

export interface RegistryResponse {
  readonly url: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

export interface GitReference {
  /** `refs/tags/v1.2.3`, `refs/heads/main`. */
  readonly name: string;
  /** The commit, not the tag object. */
  readonly oid: string;
}

/** The lookup that is shared by everybody. */
export interface KeptLookup extends Lookup {
  /** Nobody is asked: what is known, however old it is. @throws UpdatesError `lookup_failed` for what is not */
  known(): Lookup;
}

/** Where answers are kept between runs; `undefined` from `read` is a miss. Keys are opaque, values plain data. */
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

/** Who we are to a host. The most specific address wins. */
export interface Credential {
  /** `https://npm.acme.example/private`: the scheme, host and port must be the same, the path a prefix. */
  readonly url: string;
  /** Sent as `Authorization`: `Bearer …`, `Basic …`. Never logged, never in errors, never sent to another host on redirects. */
  readonly authorization: string;
}
