/** A request as it comes to a server, and what is found out about it: each only once, and when somebody wants it. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { clientAddress, type Proxies, plainAddress } from "../decide/client-address.js";
import { headersOf } from "../decide/incoming.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { PathMatch } from "./path-patterns.js";

/** What is needed of Fastify's request. */
export interface FastifyRequest {
  readonly method: string;
  /** As sent, prefix and query included. */
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty on a unix socket. */
  readonly ip: string;
  readonly raw: Readable & {
    readonly rawHeaders: readonly string[];
    readonly socket: { readonly remotePort?: number | undefined };
  };
}

/** Of a request without a body. */
const NOTHING = new Uint8Array();

export class RequestView {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: FastifyRequest["raw"];
  /** On the clock of `performance`, when its headers had come. */
  readonly startedAt = performance.now();
  /** Without the question mark. */
  readonly query: string;
  /** What stands behind the prefix and its slash, as sent; `undefined` where it is another prefix. */
  readonly behind: string | undefined;
  body: Uint8Array = NOTHING;
  /** What it is for, by the server's hooks as they were when they were looked through. */
  found: Found | undefined;
  readonly #path: string;
  readonly #peer: string;
  #client: { readonly address: string | undefined } | undefined;

  /** `prefix`: `/hooks`; `/` for none. */
  constructor(request: FastifyRequest, prefix: string) {
    this.method = request.method;
    this.headers = request.headers;
    this.raw = request.raw;
    this.#peer = request.ip;
    const url = pathAndQuery(request.originalUrl);
    const mark = url.indexOf("?");
    this.#path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? "" : url.slice(mark + 1);
    this.behind = behind(prefix, this.#path);
  }

  /** The client's address without port; `undefined` on a unix socket, or where proxies leave it open. */
  client(proxies: Proxies | undefined): string | undefined {
    this.#client ??= { address: this.#clientBy(proxies) };
    return this.#client.address;
  }

  #clientBy(proxies: Proxies | undefined): string | undefined {
    const peer = this.#peer ? plainAddress(this.#peer) : undefined;
    return proxies ? clientAddress(peer, headersOf(this.headers), proxies) : peer;
  }

  /** `POST /hooks/deploy from 192.0.2.7`: without the query, which may hold secrets. */
  origin(proxies: Proxies | undefined): string {
    const from = this.client(proxies) ?? (this.#peer ? "an unknown address" : "a local socket");
    return `${this.method} ${this.#path.slice(0, 200)} from ${from}`;
  }
}

interface Found {
  readonly among: ReadonlyMap<string, HookRuntime>;
  readonly hook: HookRuntime | undefined;
  /** Of a path that has some. */
  readonly parameters: PathMatch<HookRuntime>["parameters"] | undefined;
}

/** Proxies may send the whole URL. */
const pathAndQuery = (url: string): string =>
  url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");

function behind(prefix: string, path: string): string | undefined {
  if (prefix === "/") return path.startsWith("/") ? path.slice(1) : undefined;
  const isBelow = path.startsWith(prefix) && path.charCodeAt(prefix.length) === SLASH;
  return isBelow ? path.slice(prefix.length + 1) : undefined;
}

const SLASH = 0x2f;
