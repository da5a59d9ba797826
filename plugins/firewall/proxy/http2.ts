/** HTTP/2 inside intercepted TLS: each request is decided as one of HTTP/1.1 is, and passed on with its trailers. */
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { type Arrival, decisions, destinationOf, type ProxyContext } from "./context.js";
import { denial } from "./denial.js";
import { hostFor } from "./open-upstream.js";
import { decideRequest, no } from "./request-decision.js";
import { recordRequest, resultOf } from "./request-record.js";

export interface Http2Visit {
  /** Its first message is still to be read. */
  readonly client: Socket;
  /** Whom it gets to see. */
  readonly identity: SecureContext;
  /** An open connection to the origin that speaks HTTP/2, too. */
  readonly origin: TLSSocket;
  /** The name that the client asked for by TLS. */
  readonly name: string;
  readonly arrival: Arrival;
}

const settings = { enablePush: false, maxConcurrentStreams: 256, maxHeaderListSize: 64 * 1024 };

const idleMs = 30 * 60_000;

/** What concerns a connection, not a message; HTTP/2 has none of it. */
const ofConnections = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
];

/** Serves the client to the end of its connection. Never rejects. */
export function serveHttp2(context: ProxyContext, visit: Http2Visit): Promise<void> {
  // Takes long to load, and few runs need it.
  const { connect, createSecureServer } = process.getBuiltinModule("node:http2");
  const { client, identity, origin, name } = visit;
  const outside = connect(`https://${name}`, { createConnection: () => origin, settings });
  const { promise, resolve } = Promise.withResolvers<void>();
  const streams = new Set<Promise<void>>();
  // For this one connection; it never listens.
  const server = createSecureServer({ SNICallback: (_, give) => give(null, identity), settings });
  server.on("tlsClientError", () => client.destroy());
  server.once("session", (inside) => {
    inside.on("stream", (stream, headers) => {
      const served = new Http2Request(context, visit, stream, headers).serve(outside);
      streams.add(served);
      void served.then(() => streams.delete(served));
    });
    inside.on("error", () => inside.destroy());
    inside.setTimeout(idleMs, () => inside.close());
    outside.on("goaway", () => inside.close());
    outside.once("close", () => inside.close());
    inside.once("close", () => client.destroy());
  });
  outside.on("error", () => outside.destroy());
  client.once("close", () => {
    void Promise.all(streams).then(() => {
      outside.destroy();
      resolve();
    });
  });
  server.emit("connection", client);
  return promise;
}

/** One request and its answer. */
class Http2Request {
  readonly #context: ProxyContext;
  readonly #visit: Http2Visit;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  /** As a request of HTTP/1.1 is told. */
  readonly #asked: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly headers: IncomingHttpHeaders;
    readonly rawHeaders: string[];
  };
  readonly #bytes = { bytesSent: 0, bytesReceived: 0 };

  constructor(
    context: ProxyContext,
    visit: Http2Visit,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
  ) {
    this.#context = context;
    this.#visit = visit;
    this.#stream = stream;
    this.#headers = headers;
    const { ":authority": authority, host } = headers;
    const hosts = [...new Set([authority, host].filter((said) => said !== undefined))];
    this.#asked = {
      method: headers[":method"] ?? "-",
      url: headers[":path"] ?? "-",
      httpVersion: "2.0",
      headers,
      rawHeaders: hosts.flatMap((said) => ["host", said]),
    };
    stream.on("error", () => {});
  }

  /** Resolves when it is over and recorded. */
  async serve(outside: ClientHttp2Session): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#stream.once("close", () => resolve()));
    const scene = { kind: "intercepted", host: this.#visit.name } as const;
    const decision = decideRequest(this.#context, this.#asked, scene);
    if (decision.kind === "stop") this.#refuse(decision.status, decision);
    else if (this.#asked.method === "CONNECT") {
      const verdict = no("deny-malformed", "a tunnel inside a tunnel");
      this.#refuse(400, { ...decision.target, verdict });
    } else if (outside.destroyed || outside.closed) {
      const reason = "the origin has closed the connection";
      this.#refuse(502, { ...decision.target, verdict: { ...decision.verdict, reason } });
    } else {
      const { host, url, path } = decision.target;
      const upstream = outside.request(
        {
          ...this.#fields(),
          ":method": this.#asked.method,
          ":path": path,
          ":scheme": "https",
          ":authority": hostFor(decision.target, this.#headers[":authority"]),
        },
        {
          endStream: this.#stream.readableEnded || this.#stream.endAfterHeaders,
          waitForTrailers: true,
        },
      );
      const status = this.#join(upstream);
      await closed;
      upstream.close();
      recordRequest(this.#context, this.#asked, this.#visit.arrival, {
        host: this.#headers[":authority"] ?? host,
        url,
        status: await status,
        decision: decisions.forwarded,
        verdict: decision.verdict,
        destination: destinationOf(this.#visit.origin),
        ...this.#bytes,
      });
      return;
    }
    await closed;
  }

  /** Both ways, with what comes before and after the bodies. Resolves with the status of the answer. */
  #join(upstream: ClientHttp2Stream): Promise<number> {
    const stream = this.#stream;
    const { promise, resolve } = Promise.withResolvers<number>();
    let [asTrailers, answerTrailers]: IncomingHttpHeaders[] = [{}, {}];
    stream.on("trailers", (trailers) => {
      asTrailers = trailers;
    });
    upstream.on("wantTrailers", () => upstream.sendTrailers(asTrailers ?? {}));
    upstream.on("headers", (headers) => {
      if (!stream.headersSent && !stream.destroyed) stream.additionalHeaders(headers);
    });
    upstream.once("response", (headers) => {
      resolve(headers[":status"] ?? 502);
      if (stream.destroyed) return;
      stream.respond(headers, { waitForTrailers: true });
      upstream.pipe(stream);
    });
    upstream.on("trailers", (trailers) => {
      answerTrailers = trailers;
    });
    stream.on("wantTrailers", () => stream.sendTrailers(answerTrailers ?? {}));
    upstream.on("error", () => {});
    upstream.once("close", () => {
      resolve(502);
      // An answer that breaks off must not look like a whole one.
      if (!stream.headersSent && !stream.destroyed)
        stream.respond({ ":status": 502 }, { endStream: true });
      else if (upstream.rstCode !== 0) stream.close(upstream.rstCode);
    });
    stream.once("aborted", () => upstream.close(stream.rstCode));
    stream.on("data", (part: Buffer) => {
      this.#bytes.bytesSent += part.length;
    });
    upstream.on("data", (part: Buffer) => {
      this.#bytes.bytesReceived += part.length;
    });
    stream.pipe(upstream);
    return promise;
  }

  /** Without what is said anew for the other side. */
  #fields(): IncomingHttpHeaders {
    const all = Object.entries(this.#headers).filter(
      ([name]) => !name.startsWith(":") && name !== "host" && !ofConnections.includes(name),
    );
    return Object.fromEntries(all);
  }

  #refuse(
    status: number,
    { host, url, verdict }: { host: string; url: string; verdict: Parameters<typeof denial>[1] },
  ): void {
    const { headers, body } = denial(host, verdict, this.#headers.accept, status);
    const { connection: _, ...fields } = headers;
    recordRequest(this.#context, this.#asked, this.#visit.arrival, {
      host: this.#headers[":authority"] ?? host,
      url,
      status,
      decision: resultOf(status),
      verdict,
    });
    if (this.#stream.destroyed) return;
    this.#stream.resume();
    this.#stream.respond({ ":status": status, ...fields });
    this.#stream.end(this.#asked.method === "HEAD" ? undefined : body);
  }
}
