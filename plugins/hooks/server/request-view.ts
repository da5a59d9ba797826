/** A request as it arrives, with its target split; the client's address is worked out once, on first use. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { clientAddress, type Proxies, plainAddress } from "../decide/client-address.js";
import { headersOf } from "../decide/incoming.js";

/** The part of Node's request that hooks use. */
export type RawRequest = Pick<
  IncomingMessage,
  "method" | "url" | "httpVersion" | "headers" | "rawHeaders" | "socket" | "complete" | "on"
>;

export class RequestView {
  readonly raw: RawRequest;
  readonly method: string;
  /** As sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds on the clock of `performance`. */
  readonly startedAt = performance.now();
  /** As sent, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  #client: { readonly address: string | undefined } | undefined;

  constructor(raw: RawRequest) {
    this.raw = raw;
    this.method = raw.method ?? "";
    this.headers = raw.headers;
    this.url = raw.url ?? "/";
    // Proxies may send the whole URL.
    const target = this.url.startsWith("/")
      ? this.url
      : this.url.replace(/^https?:\/\/[^/?]*/i, "");
    const mark = target.indexOf("?");
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? "" : target.slice(mark + 1);
  }

  /** Without port; `undefined` on a unix socket, or where the proxies leave it open. */
  client(proxies: Proxies | undefined): string | undefined {
    this.#client ??= { address: this.#clientBehind(proxies) };
    return this.#client.address;
  }

  /** `POST /hooks/deploy from 192.0.2.7`: without the query, which may hold secrets. */
  origin(proxies: Proxies | undefined): string {
    const peer = this.raw.socket.remoteAddress;
    const from = this.client(proxies) ?? (peer ? "an unknown address" : "a local socket");
    return `${this.method} ${this.path.slice(0, 200)} from ${from}`;
  }

  #clientBehind(proxies: Proxies | undefined): string | undefined {
    const { remoteAddress } = this.raw.socket;
    const peer = remoteAddress ? plainAddress(remoteAddress) : undefined;
    return proxies ? clientAddress(peer, headersOf(this.headers), proxies) : peer;
  }
}

const SLASH = 0x2f;

/** The part of `path` below `prefix` and its slash; `undefined` for another path. `prefix`: `/hooks`, or `/` for none. */
export function pathBelow(prefix: string, path: string): string | undefined {
  if (prefix === "/") return path.startsWith("/") ? path.slice(1) : undefined;
  const isBelow = path.startsWith(prefix) && path.charCodeAt(prefix.length) === SLASH;
  return isBelow ? path.slice(prefix.length + 1) : undefined;
}
