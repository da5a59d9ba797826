/** HTTP that can be read: to the proxy, to port 80, inside CONNECT to port 80, inside intercepted TLS. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex } from "node:stream";
import { closeGracefully } from "./close-gracefully.js";
import { type Arrival, decisions, type ProxyContext, recordOf } from "./context.js";
import { denial } from "./denial.js";
import { hasBody } from "./framing.js";
import { withoutHopByHop } from "./headers.js";
import { forward, openUpstream } from "./open-upstream.js";
import { type Decision, decideRequest, no } from "./request-decision.js";
import { leaveBehind, recordRequest, resultOf } from "./request-record.js";
import type { RequestOrigin } from "./request-target.js";
import { serveUpgrade } from "./upgrade.js";

interface Visit {
  readonly scene: RequestOrigin;
  readonly arrival: Arrival;
  /** Requests that are not answered yet: several where a client does not wait. */
  unanswered: number;
}

/** Handles CONNECT; lives in `connect.ts`. */
export type OnConnect = (
  asked: Pick<IncomingMessage, "url" | "httpVersion" | "headers">,
  client: Socket,
  head: Buffer,
  arrival: Arrival,
) => void;

export class HttpHandler {
  readonly #context: ProxyContext;
  readonly #server: Server;
  readonly #visits = new WeakMap<Duplex, Visit>();

  /** A head that is not there in time, in milliseconds, is not waited for any longer. */
  constructor(context: ProxyContext, onConnect: OnConnect, headersTimeout = 30_000) {
    this.#context = context;
    this.#server = createServer({
      maxHeaderSize: 64 * 1024,
      requestTimeout: 0,
      headersTimeout,
      connectionsCheckingInterval: headersTimeout / 2,
      keepAliveTimeout: 120_000,
      // Any other protocol could name another host inside, where nobody reads along.
      shouldUpgradeCallback: ({ method, headers }) =>
        method === "GET" && headers.upgrade?.toLowerCase() === "websocket",
    });
    this.#server.on("request", (asked, answer) => void this.#serve(asked, answer));
    this.#server.on("upgrade", (asked, client, head) => {
      if (this.#interrupts(asked, client)) return;
      void serveUpgrade(this.#context, asked, client, head, this.#visitOf(asked));
    });
    this.#server.on("connect", (asked, client, head) => {
      if (this.#interrupts(asked, client)) return;
      const visit = this.#visitOf(asked);
      if (visit.scene.kind === "explicit") onConnect(asked, client as Socket, head, visit.arrival);
      else closeGracefully(client, "HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n");
    });
    this.#server.on("clientError", (error, client) => this.#malformed(error, client));
    // It never listens itself, and looks for late heads only once it does.
    this.#server.emit("listening");
  }

  /** Serves a connection that has just been accepted or opened. */
  accept(client: Duplex, scene: RequestOrigin, arrival: Arrival): void {
    this.#visits.set(client, { scene, arrival, unanswered: 0 });
    this.#server.emit("connection", client);
    // It may have been read from before.
    client.resume();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #visitOf(asked: IncomingMessage): Visit {
    const visit = this.#visits.get(asked.socket);
    if (!visit) throw new Error("a request on a connection that nobody let in");
    return visit;
  }

  /** The connection becomes another thing: not while an answer is still to be written to it. */
  #interrupts(asked: IncomingMessage, client: Duplex): boolean {
    const { arrival, unanswered } = this.#visitOf(asked);
    if (unanswered === 0) return false;
    const verdict = no(
      "deny-malformed",
      `a ${asked.method} before the answer to the request before it`,
    );
    const { url = "-" } = asked;
    const decision = decisions.malformed;
    recordRequest(this.#context, asked, arrival, {
      host: asked.headers.host ?? "-",
      url,
      status: 400,
      decision,
      verdict,
    });
    client.destroy();
    asked.socket.destroy();
    return true;
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const visit = this.#visitOf(asked);
    const { scene, arrival } = visit;
    const decision = decideRequest(this.#context, asked, scene);
    visit.unanswered += 1;
    const over = afterwards(asked, answer);
    void over.then(() => {
      visit.unanswered -= 1;
    });
    if (decision.kind === "stop") return this.#stop(asked, answer, arrival, decision);
    const { target } = decision;
    const way = await openUpstream(this.#context, target);
    if (way.kind === "unopened") {
      const { host, url } = target;
      return this.#stop(asked, answer, arrival, { ...way, kind: "stop", host, url });
    }
    if (answer.destroyed) return leaveBehind(this.#context, asked, arrival, way, decision);
    const upstream = forward(asked, target, way, false);
    let status = 502;
    upstream.once("response", (response) => {
      status = response.statusCode ?? 502;
      answer.writeHead(status, response.statusMessage, withoutHopByHop(response.rawHeaders));
      response.on("error", () => answer.destroy());
      response.pipe(answer);
    });
    // After the answer has begun it is the answer's own affair: bytes behind a whole one do not make it less.
    upstream.on("error", () => {
      if (answer.headersSent) return;
      answer.writeHead(502, { "content-length": "0", connection: "close" });
      answer.end();
    });
    const socket = asked.socket;
    const before = { sent: socket.bytesRead, received: socket.bytesWritten };
    const recorded = over.then(() => {
      upstream.destroy();
      recordRequest(this.#context, asked, arrival, {
        host: asked.headers.host ?? target.host,
        url: target.url,
        status,
        decision: decisions.forwarded,
        verdict: decision.verdict,
        destination: way.destination,
        bytesSent: socket.bytesRead - before.sent,
        bytesReceived: socket.bytesWritten - before.received,
      });
    });
    this.#context.track(recorded);
    // A body that breaks off closes the answer, too.
    if (hasBody(asked)) asked.on("error", () => {}).pipe(upstream);
    else upstream.end();
  }

  #stop(
    asked: IncomingMessage,
    answer: ServerResponse,
    arrival: Arrival,
    { status, host, url, verdict }: Extract<Decision, { kind: "stop" }>,
  ): void {
    const { headers, body } = denial(host, verdict, asked.headers.accept, status);
    recordRequest(this.#context, asked, arrival, {
      host: asked.headers.host ?? host,
      url,
      status,
      decision: resultOf(status),
      verdict,
    });
    answer.writeHead(status, headers);
    answer.end(asked.method === "HEAD" ? undefined : body);
  }

  #malformed(error: NodeJS.ErrnoException, client: Duplex): void {
    const visit = this.#visits.get(client);
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
      // That the rest of it is missing is no news then.
      this.#visits.delete(client);
      closeGracefully(client, "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
      return;
    }
    if (visit && error.code !== "ECONNRESET" && error.code !== "EPIPE") {
      const verdict = no("deny-malformed", "not an HTTP request");
      this.#context.record(
        recordOf(visit.arrival, {
          host: "-",
          url: "/",
          httpVersion: "0.0",
          method: "-",
          status: 400,
          decision: decisions.malformed,
          verdict,
        }),
      );
    }
    if (client.writable) client.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
    client.destroy();
  }
}

/** When the answer is written, or nobody is there to read it. A connection that became another thing does not tell its answers. */
function afterwards({ socket }: IncomingMessage, answer: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      answer.off("close", over);
      socket.off("close", over);
      resolve();
    };
    answer.once("close", over);
    socket.once("close", over);
  });
}
