/** Decrypts TLS: the client gets a certificate of the run's authority, and the proxy reads the HTTP inside. */
import type { ClientHttp2Session, ServerHttp2Session } from "node:http2";
import { TLSSocket } from "node:tls";
import type { Interception, ProxyContext } from "./context.js";
import type { HttpHandler } from "./http-handler.js";
import { Http2Origin, http2Settings } from "./http2-origin.js";
import { Http2Request, type Http2Session } from "./http2-request.js";
import type { Intercepted } from "./tunnel.js";

const largestMemory = 1000;

export class TlsInterceptor {
  readonly #context: ProxyContext;
  readonly #interception: Interception;
  readonly #http: HttpHandler;
  /** Origins that chose HTTP/1.1. */
  readonly #withoutHttp2 = new Set<string>();

  constructor(context: ProxyContext, interception: Interception, http: HttpHandler) {
    this.#context = context;
    this.#interception = interception;
    this.#http = http;
  }

  readonly open = (intercepted: Intercepted): void => {
    void this.#open(intercepted).catch(() => intercepted.client.destroy());
  };

  /** Speaks the origin's protocol with the client where it is known, so that few requests need translation. */
  async #open(intercepted: Intercepted): Promise<void> {
    const { client, hello, name, port, arrival } = intercepted;
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
    this.#http.accept(opened, { kind: "intercepted", host: name, port }, arrival);
  }

  /** The origin if both sides want HTTP/2. Does not connect yet if a URL may be denied. */
  async #originByHttp2({ name, port, protocols }: Intercepted): Promise<Http2Origin | undefined> {
    const key = `${name}:${port}`;
    if (!protocols.includes("h2") || this.#withoutHttp2.has(key)) return undefined;
    const origin = new Http2Origin(this.#context, { name, port }, () => this.#remember(key));
    const undecided = this.#context.policy().urls.length > 0;
    return undecided || (await origin.reach()) ? origin : undefined;
  }

  #remember(key: string): void {
    if (this.#withoutHttp2.size >= largestMemory) this.#withoutHttp2.clear();
    this.#withoutHttp2.add(key);
  }
}

const idleMs = 30 * 60_000;
const sweepMs = 1000;

/** Serves the client until its connection ends. Never rejects. */
function serveHttp2(context: ProxyContext, session: Http2Session): Promise<void> {
  const { createSecureServer } = process.getBuiltinModule("node:http2");
  const { client, identity, origin } = session;
  const { promise, resolve } = Promise.withResolvers<void>();
  const streams = new Set<Promise<void>>();
  // A server for this one connection, which never listens.
  const server = createSecureServer({
    SNICallback: (_, give) => give(null, identity),
    settings: http2Settings,
  });
  server.on("tlsClientError", () => client.destroy());
  server.once("session", (inside) => {
    let bound = false;
    inside.on("stream", (stream, headers) => {
      const served = new Http2Request(context, session, stream, headers).serve(async () => {
        const way = await origin.reach();
        if (way && !bound) bind(inside, way.session);
        bound ||= way !== undefined;
        return way;
      });
      streams.add(served);
      void served.then(() => streams.delete(served));
    });
    inside.on("error", () => inside.destroy());
    inside.setTimeout(idleMs, () => client.destroy());
    inside.once("close", () => client.destroy());
    // Node does not report the close of a session that is destroyed while its last frames wait for a client that has
    // left.
    const sweep = setInterval(() => inside.destroyed && client.destroy(), sweepMs).unref();
    client.once("close", () => clearInterval(sweep));
  });
  client.once("close", () => {
    void Promise.all(streams).then(() => {
      origin.close();
      resolve();
    });
  });
  // A client that closes its half before any HTTP/2 has left.
  client.allowHalfOpen = false;
  server.emit("connection", client);
  return promise;
}

/** Closes with the origin's connection, so that the client reconnects. */
function bind(inside: ServerHttp2Session, outside: ClientHttp2Session): void {
  outside.once("goaway", () => inside.close());
  outside.once("close", () => inside.close());
}
