/** A REST client for code hosts: ETags, rate limits, and no token in any error. */
import type { Clock } from "reeve/plugin";
import { UpdatesError } from "../../errors.js";
import { tokenDigest } from "../../store/accounts.js";

export interface RestAnswer {
  readonly status: number;
  /** Parsed JSON; `undefined` if the body is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each host has its own shapes; the dialects read them.
  readonly body: any;
  /** The address of the list's next page. */
  readonly next?: string | undefined;
  /** The host redirected the request: the repository has another name now. */
  readonly isMoved?: boolean;
}

/** The rate limit. */
export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since the epoch. */
  readonly resets: number;
}

/** `same`: the ETag still matches. */
export type Since<Found> =
  | { readonly kind: "same" }
  | { readonly kind: "changed"; readonly found: Found; readonly etag: string };

/** Sends a request with one token. `path` starts with a slash, or is an absolute URL of the same host. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<RestAnswer>;

interface Kept extends RestAnswer {
  readonly etag: string;
}

const timeout = 15_000;
const mostKept = 5_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const mostRedirects = 3;

export interface RestOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly authorization: (token: string) => string;
}

export class Rest {
  readonly #options: RestOptions;
  readonly #kept = new Map<string, Kept>();
  /** As last reported by the host. */
  budget: Budget | undefined;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  as(token: string): Ask {
    return (method, path, body) => this.#ask(token, { method, path, body });
  }

  /**
   * Without stored responses. A stored page may lack a next page that exists now, because an ETag covers the page's content only.
   */
  fresh(token: string): Ask {
    return (method, path, body) => this.#ask(token, { method, path, body, isFresh: true });
  }

  /** A GET unless its ETag still matches. Callers store only the ETag. */
  async since(token: string, path: string, etag = ""): Promise<Since<RestAnswer>> {
    const answer = await this.#ask(token, { method: "GET", path, etag });
    return answer.status === 304
      ? { kind: "same" }
      : { kind: "changed", found: answer, etag: answer.etag };
  }

  /** @throws UpdatesError `host_limited` or `host_unreachable` */
  async #ask(
    token: string,
    {
      method,
      path,
      body,
      etag,
      isFresh = false,
    }: {
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
      /** The ETag of a response that the caller stores. */
      readonly etag?: string;
      readonly isFresh?: boolean;
    },
  ): Promise<Kept> {
    const { authorization } = this.#options;
    const key = `${tokenDigest(token)} ${path}`;
    const isOurs = method === "GET" && etag === undefined;
    const known = isOurs && !isFresh ? this.#kept.get(key) : undefined;
    const condition = etag ?? known?.etag ?? "";
    const request: RequestInit = {
      method,
      headers: {
        accept: "application/json",
        authorization: authorization(token),
        "user-agent": "reeve",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(condition === "" ? {} : { "if-none-match": condition }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    };
    const { response, isMoved } = await this.#follow(this.#address(path), request);
    const text = await response.text();
    this.#count(response.headers);
    if (response.status === 304 && known) return known;
    this.#refuse(response);
    const answer: Kept = {
      status: response.status,
      body: jsonOf(text),
      etag: response.headers.get("etag") ?? "",
      next: nextIn(response.headers.get("link")),
      ...(isMoved ? { isMoved } : {}),
    };
    if (isOurs && answer.etag !== "" && answer.status === 200) {
      if (this.#kept.size >= mostKept) this.#kept.clear();
      this.#kept.set(key, answer);
    }
    return answer;
  }

  /** Follows redirects on the same host with the same method and body, as those of renamed repositories need. */
  async #follow(
    address: string,
    request: RequestInit,
    hops = 0,
  ): Promise<{ readonly response: Response; readonly isMoved: boolean }> {
    const { host } = new URL(this.#options.url);
    const response = await fetch(address, request).catch((cause: unknown) => {
      throw new UpdatesError("host_unreachable", `${host} does not answer.`, {
        cause,
        retryAfter: 30_000,
      });
    });
    const location = redirects.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return { response, isMoved: hops > 0 };
    await response.body?.cancel();
    if (hops === mostRedirects)
      throw new UpdatesError("host_refused", `${host} redirects a request too often.`);
    return this.#follow(this.#address(new URL(location, address).href), request, hops + 1);
  }

  /** The next page is an absolute URL; requests never leave the host. */
  #address(path: string): string {
    const { url } = this.#options;
    if (path.startsWith("/")) return `${url}${path}`;
    if (new URL(path).origin === new URL(url).origin) return path;
    throw new UpdatesError("host_refused", `${new URL(url).host} points to another host.`);
  }

  #count(headers: Headers): void {
    const [limit, remaining, resets] = ["limit", "remaining", "reset"].map((name) =>
      Number(headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`) ?? Number.NaN),
    ) as [number, number, number];
    if (Number.isFinite(limit + remaining + resets))
      this.budget = { limit, remaining, resets: resets * 1000 };
  }

  #refuse({ status, headers }: Response): void {
    const { host } = new URL(this.#options.url);
    const spent =
      (headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining")) === "0";
    if (status === 429 || (status === 403 && (spent || headers.has("retry-after")))) {
      throw new UpdatesError("host_limited", `${host} limits requests.`, {
        retryAfter: this.#pause(headers),
      });
    }
    if (status >= 500) {
      throw new UpdatesError("host_unreachable", `${host} answers with an error (${status}).`, {
        retryAfter: 30_000,
      });
    }
  }

  #pause(headers: Headers): number {
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    if (Number.isFinite(seconds)) return seconds * 1000;
    const reset = Number(
      headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset") ?? Number.NaN,
    );
    if (!Number.isFinite(reset)) return 60_000;
    return Math.max(reset * 1000 - this.#options.clock.now(), 1000);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const nextIn = (link: string | null): string | undefined =>
  /<([^>]+)>;\s*rel="next"/.exec(link ?? "")?.[1];
