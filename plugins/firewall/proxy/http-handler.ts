/** Readable HTTP: to the proxy, to port 80, inside CONNECT to port 80, inside decrypted TLS. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex } from "node:stream";
import { closeGracefully } from "./close-gracefully.js";
import { type Arrival, accessRecord, decisions, type ProxyContext, waiting } from "./context.js";
import { denial, refusalStatus } from "./denial.js";
import { carriesBody } from "./framing.js";
import { withoutHopByHop } from "./headers.js";
import { forward, openUpstream } from "./open-upstream.js";
import { outgoingBody } from "./outgoing-body.js";
import { decideOrAsk, denied, type RequestDecision } from "./request-decision.js";
import { recordClientLeft, recordRequest, resultOf } from "./request-record.js";
import type { RequestOrigin } from "./request-target.js";
import { serveUpgrade } from "./upgrade.js";

interface ClientConnection {
  readonly origin: RequestOrigin;
  readonly arrival: Arrival;
  /** More than one if the client pipelines. */
  unanswered: number;
}

/** Responses to CONNECT. */
interface ConnectReply {
  readonly established: Buffer;
  readonly refused: (status: number) => Buffer;
}

/** Handles CONNECT; see `connect.ts`. */
export type OnConnect = (
  incoming: Pick<IncomingMessage, "url" | "httpVersion" | "headers"> & {
    /** In another protocol than HTTP. */
    readonly reply?: ConnectReply;
  },
  client: Socket,
  head: Buffer,
  arrival: Arrival,
) => void;

export class HttpHandler {
  readonly #context: ProxyContext;
  readonly #server: Server;
  readonly #connections = new WeakMap<Duplex, ClientConnection>();

  /** @param headersTimeout milliseconds that a client has to send a complete head */
  constructor(context: ProxyContext, onConnect: OnConnect, headersTimeout = 30_000) {
    this.#context = context;
    this.#server = createServer({
      maxHeaderSize: 64 * 1024,
      requestTimeout: 0,
      headersTimeout,
      connectionsCheckingInterval: headersTimeout / 2,
      keepAliveTimeout: 120_000,
      // Another protocol could name another host in bytes that the proxy does not parse.
      shouldUpgradeCallback: ({ method, headers }) =>
        method === "GET" && headers.upgrade?.toLowerCase() === "websocket",
    });
    this.#server.on("request", (incoming, answer) => void this.#serve(incoming, answer));
    this.#server.on("upgrade", (incoming, client, head) => {
      if (this.#interrupts(incoming, client)) return;
      void serveUpgrade(this.#context, incoming, client, head, this.#connectionOf(incoming));
    });
    this.#server.on("connect", (incoming, client, head) => {
      if (this.#interrupts(incoming, client)) return;
      const connection = this.#connectionOf(incoming);
      if (connection.origin.kind === "explicit")
        onConnect(incoming, client as Socket, head, connection.arrival);
      else closeGracefully(client, "HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n");
    });
    this.#server.on("clientError", (error, client) => this.#malformed(error, client));
    // Node starts to check for late heads when a server listens, which this one never does.
    this.#server.emit("listening");
  }

  /** Serves an accepted or decrypted connection. */
  accept(client: Duplex, origin: RequestOrigin, arrival: Arrival): void {
    this.#connections.set(client, { origin, arrival, unanswered: 0 });
    this.#server.emit("connection", client);
    // It may be paused after an earlier read.
    client.resume();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #connectionOf(incoming: IncomingMessage): ClientConnection {
    const connection = this.#connections.get(incoming.socket);
    if (!connection) throw new Error("a request on an unknown connection");
    return connection;
  }

  /** Refuses a change of protocol while an earlier request still waits for its response. */
  #interrupts(incoming: IncomingMessage, client: Duplex): boolean {
    const { arrival, unanswered } = this.#connectionOf(incoming);
    if (unanswered === 0) return false;
    const verdict = denied(
      "deny-malformed",
      `a ${incoming.method} before the response to the previous request`,
    );
    const { url = "-" } = incoming;
    const decision = decisions.malformed;
    recordRequest(this.#context, incoming, arrival, {
      host: incoming.headers.host ?? "-",
      url,
      status: 400,
      decision,
      verdict,
    });
    client.destroy();
    incoming.socket.destroy();
    return true;
  }

  async #serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const connection = this.#connectionOf(incoming);
    const { origin, arrival } = connection;
    const deciding = decideOrAsk(this.#context, incoming, origin, () =>
      waiting(incoming.socket, arrival.requester, true),
    );
    connection.unanswered += 1;
    const finished = responseFinished(incoming, answer);
    void finished.then(() => {
      connection.unanswered -= 1;
    });
    const decision = deciding instanceof Promise ? await deciding : deciding;
    if (decision.kind === "stop") return this.#stop(incoming, answer, arrival, decision);
    const { target } = decision;
    const way = await openUpstream(this.#context, target);
    if (way.kind === "unopened") {
      const { host, url } = target;
      return this.#stop(incoming, answer, arrival, { ...way, kind: "stop", host, url });
    }
    if (answer.destroyed) return recordClientLeft(this.#context, incoming, arrival, way, decision);
    const upstream = forward(this.#context, incoming, target, way, false);
    const body = outgoingBody(this.#context, decision);
    let status = 502;
    upstream.once("response", (response) => {
      status = response.statusCode ?? 502;
      answer.writeHead(status, response.statusMessage, withoutHopByHop(response.rawHeaders));
      response.on("error", () => answer.destroy());
      response.pipe(answer);
    });
    // After the response has started, errors of the connection no longer matter: extra bytes do not damage a complete
    // response.
    upstream.on("error", () => {
      if (answer.headersSent) return;
      answer.writeHead(502, { "content-length": "0", connection: "close" });
      answer.end();
    });
    const socket = incoming.socket;
    const before = { sent: socket.bytesRead, received: socket.bytesWritten };
    const recorded = finished.then(() => {
      upstream.destroy();
      const refusal = body?.refusal;
      recordRequest(this.#context, incoming, arrival, {
        host: incoming.headers.host ?? target.host,
        url: target.url,
        status: refusal ? refusalStatus(refusal) : status,
        decision: refusal ? decisions.denied : decisions.forwarded,
        verdict: refusal ?? decision.verdict,
        destination: way.destination,
        bytesSent: socket.bytesRead - before.sent,
        bytesReceived: socket.bytesWritten - before.received,
      });
    });
    this.#context.track(recorded);
    // An incomplete body also ends the response.
    if (!carriesBody(incoming)) upstream.end();
    else if (!body) incoming.on("error", () => {}).pipe(upstream);
    else
      incoming
        .on("error", () => body.destroy())
        .pipe(body)
        .pipe(upstream);
    body?.once("error", () => {
      if (body.refusal && !answer.headersSent) {
        const refused = denial(
          target.host,
          body.refusal,
          incoming.headers.accept,
          refusalStatus(body.refusal),
        );
        answer.writeHead(refused.status, refused.headers);
        answer.end(refused.body);
        incoming.resume();
      } else answer.destroy();
      upstream.destroy();
    });
  }

  #stop(
    incoming: IncomingMessage,
    answer: ServerResponse,
    arrival: Arrival,
    { status, host, url, verdict }: Extract<RequestDecision, { kind: "stop" }>,
  ): void {
    const { headers, body } = denial(host, verdict, incoming.headers.accept, status);
    recordRequest(this.#context, incoming, arrival, {
      host: incoming.headers.host ?? host,
      url,
      status,
      decision: resultOf(status),
      verdict,
    });
    answer.writeHead(status, headers);
    answer.end(incoming.method === "HEAD" ? undefined : body);
  }

  #malformed(error: NodeJS.ErrnoException, client: Duplex): void {
    const connection = this.#connections.get(client);
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
      // The error about the incomplete request that follows is not recorded.
      this.#connections.delete(client);
      closeGracefully(client, "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
      return;
    }
    if (connection && error.code !== "ECONNRESET" && error.code !== "EPIPE") {
      const verdict = denied("deny-malformed", "not an HTTP request");
      this.#context.record(
        accessRecord(connection.arrival, {
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

/**
 * Resolves when the response has been written or the client has left. A socket with another protocol emits no `close`
 * for its responses.
 */
function responseFinished({ socket }: IncomingMessage, answer: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finished = () => {
      answer.off("close", finished);
      socket.off("close", finished);
      resolve();
    };
    answer.once("close", finished);
    socket.once("close", finished);
  });
}
