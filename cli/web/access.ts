/** Access to the page: one-time tokens, sessions and the checks of every request. Pure, apart from random numbers. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { OpenViews } from "./stream.js";

/** Milliseconds. */
const TOKEN_LIFE = 60_000;
const SESSION_LIFE = 8 * 3_600_000;
/** Tokens and sessions that are kept; the oldest go first. */
const MOST = 100;
const COOKIE = "reeve";

/** 256 bits. */
const secret = (): string => randomBytes(32).toString("base64url");

/** One browser. Both secrets are needed: other servers of this host get the cookie, for cookies ignore ports. */
export interface WebSession {
  readonly cookie: string;
  /** Sent in `X-Reeve-Session`. */
  readonly key: string;
  readonly until: number;
  /** Ends what the session has open. */
  readonly over: AbortController;
  /** Its open streams. */
  readonly views: OpenViews;
}

export type Redeemed =
  | { readonly result: "session"; readonly session: WebSession }
  | { readonly result: "unknown" | "expired" | "used" };

export class PageAccess {
  readonly #now: () => number;
  readonly #tokens = new Map<string, { readonly until: number; session?: WebSession }>();
  readonly #sessions = new Map<string, WebSession>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** For one session, within a minute. */
  issue(): string {
    const token = secret();
    trim(this.#tokens);
    this.#tokens.set(token, { until: this.#now() + TOKEN_LIFE });
    return token;
  }

  /** A second use means that two have the token: the session of the first ends. */
  redeem(token: string): Redeemed {
    const known = this.#tokens.get(token);
    if (known === undefined) return { result: "unknown" };
    if (known.session) {
      this.#end(known.session);
      return { result: "used" };
    }
    if (known.until < this.#now()) return { result: "expired" };
    const session: WebSession = {
      ...{ cookie: secret(), key: secret() },
      ...{ until: this.#now() + SESSION_LIFE, over: new AbortController() },
      views: new Map(),
    };
    known.session = session;
    const left = trim(this.#sessions);
    left?.over.abort();
    this.#sessions.set(session.cookie, session);
    return { result: "session", session };
  }

  /** The session of a request that carries both of its secrets. */
  sessionOf(headers: IncomingHttpHeaders): WebSession | undefined {
    const session = this.#sessions.get(cookieOf(headers) ?? "");
    const key = headers["x-reeve-session"];
    if (session === undefined || typeof key !== "string" || !isSame(key, session.key)) {
      return undefined;
    }
    if (session.until >= this.#now()) return session;
    this.#end(session);
    return undefined;
  }

  #end(session: WebSession): void {
    this.#sessions.delete(session.cookie);
    session.over.abort();
  }
}

export const setCookie = ({ cookie }: WebSession): string =>
  `${COOKIE}=${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_LIFE / 1000}`;

function cookieOf({ cookie = "" }: IncomingHttpHeaders): string | undefined {
  const [, value] = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(cookie) ?? [];
  return value;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Removes and returns the oldest where there are too many. */
function trim<Each>(kept: Map<string, Each>): Each | undefined {
  const [oldest] = kept;
  if (kept.size < MOST || oldest === undefined) return undefined;
  kept.delete(oldest[0]);
  return oldest[1];
}

/** Why a request from a page elsewhere is refused; `undefined` for one of ours. */
export function foreign(
  method: string,
  headers: IncomingHttpHeaders,
  origin: string,
): string | undefined {
  const writes = method !== "GET";
  if (headers.origin === undefined ? writes : headers.origin !== origin) {
    return "The request comes from another page.";
  }
  if (headers["sec-fetch-site"] !== "same-origin") {
    return "The browser does not say that the request comes from this page.";
  }
  if (writes && headers["content-type"] !== "application/json") return "The body must be JSON.";
  return undefined;
}
