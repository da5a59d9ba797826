/** HTTP/2 inside intercepted TLS: each request is decided as one of HTTP/1.1 is, and passed on with its trailers. */
import type { ClientHttp2Session, ServerHttp2Session } from "node:http2";
import type { ProxyContext } from "./context.js";
import { http2Settings } from "./http2-origin.js";
import { Http2Request, type Http2Session } from "./http2-request.js";

const idleMs = 30 * 60_000;
const sweepMs = 1000;

/** Serves the client to the end of its connection. Never rejects. */
export function serveHttp2(context: ProxyContext, session: Http2Session): Promise<void> {
  const { createSecureServer } = process.getBuiltinModule("node:http2");
  const { client, identity, origin } = session;
  const { promise, resolve } = Promise.withResolvers<void>();
  const streams = new Set<Promise<void>>();
  // For this one connection; it never listens.
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
    // One that is over while its last words are on their way to a client that has left never says that it is closed.
    const sweep = setInterval(() => inside.destroyed && client.destroy(), sweepMs).unref();
    client.once("close", () => clearInterval(sweep));
  });
  client.once("close", () => {
    void Promise.all(streams).then(() => {
      origin.close();
      resolve();
    });
  });
  // A client that ends its half without a word of HTTP/2 has gone.
  client.allowHalfOpen = false;
  server.emit("connection", client);
  return promise;
}

/** A connection that the origin ends ends here, too: the next one may find it elsewhere. */
function bind(inside: ServerHttp2Session, outside: ClientHttp2Session): void {
  outside.once("goaway", () => inside.close());
  outside.once("close", () => inside.close());
}
