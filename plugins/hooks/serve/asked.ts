/** A request as the application gets it, and where it comes from and goes to. */
import type { IncomingHttpHeaders } from "node:http";
import { clientAddress, type Proxies, plainAddress } from "../decide/client-address.js";
import { headersOf } from "../decide/incoming.js";

/** What is needed of Fastify's request and reply. */
export interface Asked {
  readonly method: string;
  /** As sent, prefix and query included. */
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly ip: string;
  /** On the clock of `performance`, when its headers had come. */
  begun: number;
  readonly raw: {
    readonly rawHeaders: readonly string[];
    readonly socket: { readonly remotePort?: number | undefined };
  };
}
/** The client's address without port; `undefined` on a unix socket, or where proxies leave it open. */
export function clientOf({ ip, headers }: Asked, proxies: Proxies | undefined): string | undefined {
  const peer = ip ? plainAddress(ip) : undefined;
  return proxies ? clientAddress(peer, headersOf(headers), proxies) : peer;
}

/** `POST /hooks/deploy from 192.0.2.7`: without the query, which may hold secrets. */
export function origin(asked: Asked, proxies: Proxies | undefined): string {
  const from = clientOf(asked, proxies) ?? (asked.ip ? "an unknown address" : "a local socket");
  return `${asked.method} ${pathOf(asked).slice(0, 200)} from ${from}`;
}

/** What stands behind the prefix and its slash, as sent. `prefix`: `/hooks`; `/` for none. */
export function pathBehind(prefix: string, asked: Asked): string | undefined {
  const path = pathOf(asked);
  const start = prefix === "/" ? "/" : `${prefix}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** Proxies may send the whole URL. */
function pathOf({ originalUrl }: Asked): string {
  const isPath = originalUrl.startsWith("/");
  const url = isPath ? originalUrl : originalUrl.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}
