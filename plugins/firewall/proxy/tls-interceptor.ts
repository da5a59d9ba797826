/** Opens TLS in the middle: the client gets an identity of the run's own authority, what is inside is read as HTTP. */
import { TLSSocket } from "node:tls";
import type { ProxyContext } from "./context.js";
import type { HttpHandler } from "./http-handler.js";
import { serveHttp2 } from "./http2.js";
import { Http2Origin } from "./http2-origin.js";
import type { Interception } from "./interception.js";
import type { Intercepted } from "./tunnel.js";

const largestMemory = 1000;

export class TlsInterceptor {
  readonly #context: ProxyContext;
  readonly #interception: Interception;
  readonly #http: HttpHandler;
  /** Origins that were asked for HTTP/2 and chose HTTP/1.1. */
  readonly #withoutHttp2 = new Set<string>();

  constructor(context: ProxyContext, interception: Interception, http: HttpHandler) {
    this.#context = context;
    this.#interception = interception;
    this.#http = http;
  }

  readonly open = (intercepted: Intercepted): void => {
    void this.#open(intercepted).catch(() => intercepted.client.destroy());
  };

  /** The client is spoken to as its origin speaks, as far as that is known, so that little has to be put into other words. */
  async #open(intercepted: Intercepted): Promise<void> {
    const { client, hello, name, arrival } = intercepted;
    const [secureContext, origin] = await Promise.all([
      this.#interception.contextFor(name),
      this.#originByHttp2(intercepted),
    ]);
    if (client.destroyed) {
      origin?.close();
      return;
    }
    client.unshift(hello);
    if (origin) {
      const visit = { client, identity: secureContext, origin, arrival };
      return this.#context.track(serveHttp2(this.#context, visit));
    }
    const ALPNProtocols = ["http/1.1"];
    const opened = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols });
    opened.on("error", () => opened.destroy());
    this.#http.accept(opened, { kind: "intercepted", host: name }, arrival);
  }

  /** The origin, where both sides want HTTP/2. It is not asked yet where a URL may be denied. */
  async #originByHttp2({ name, protocols }: Intercepted): Promise<Http2Origin | undefined> {
    if (!protocols.includes("h2") || this.#withoutHttp2.has(name)) return undefined;
    const origin = new Http2Origin(this.#context, name, () => this.#remember(name));
    const undecided = this.#context.policy().urls.length > 0;
    return undecided || (await origin.reach()) ? origin : undefined;
  }

  #remember(name: string): void {
    if (this.#withoutHttp2.size >= largestMemory) this.#withoutHttp2.clear();
    this.#withoutHttp2.add(name);
  }
}
