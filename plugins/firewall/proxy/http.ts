/** HTTP that can be read: to the proxy, to port 80, inside CONNECT to port 80, inside intercepted TLS. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { type Arrival, decisions, type Outcome, type ProxyContext, recordOf } from "./context.js";
import { denial, denialBytes } from "./denial.js";
import { withoutHopByHop } from "./headers.js";
import { forward, headBytes, openUpstream } from "./open-upstream.js";
import { type Decision, decideRequest, no } from "./request-decision.js";
import type { Scene } from "./request-target.js";
import { splice } from "./splice.js";

interface Visit {
  readonly scene: Scene;
  readonly arrival: Arrival;
}

/** Handles CONNECT; lives in `connect.ts`. */
export type OnConnect = (
  asked: IncomingMessage,
  client: Socket,
  head: Buffer,
  arrival: Arrival,
) => void;

export class HttpDoor {
  readonly #context: ProxyContext;
  readonly #server: Server;
  readonly #visits = new WeakMap<Duplex, Visit>();

  constructor(context: ProxyContext, onConnect: OnConnect) {
    this.#context = context;
    this.#server = createServer({
      maxHeaderSize: 64 * 1024,
      requestTimeout: 0,
      headersTimeout: 30_000,
      keepAliveTimeout: 120_000,
      // Any other protocol could name another host inside, where nobody reads along.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    });
    this.#server.on("request", (asked, answer) => void this.#serve(asked, answer));
    this.#server.on("upgrade", (asked, client, head) => void this.#upgrade(asked, client, head));
    this.#server.on("connect", (asked, client, head) => {
      const visit = this.#visitOf(asked);
      if (visit.scene.kind === "explicit") onConnect(asked, client as Socket, head, visit.arrival);
      else client.end("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n");
    });
    this.#server.on("clientError", (error, client) => this.#malformed(error, client));
  }

  /** Serves a connection that has just been accepted or opened. */
  accept(client: Duplex, scene: Scene, arrival: Arrival): void {
    this.#visits.set(client, { scene, arrival });
    this.#server.emit("connection", client);
  }

  close(): void {
    this.#server.closeAllConnections();
  }

  #visitOf(asked: IncomingMessage): Visit {
    const visit = this.#visits.get(asked.socket);
    if (!visit) throw new Error("a request on a connection that nobody let in");
    return visit;
  }

  async #serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { scene, arrival } = this.#visitOf(asked);
    const decision = decideRequest(this.#context, asked, scene);
    if (decision.kind === "stop") return this.#stop(asked, answer, arrival, decision);
    const { target } = decision;
    const way = await openUpstream(this.#context, target);
    if (way.kind === "unopened") {
      const { host, url } = target;
      return this.#stop(asked, answer, arrival, { ...way, kind: "stop", host, url });
    }
    const upstream = forward(asked, target, way, false);
    let status = 502;
    upstream.once("response", (response) => {
      status = response.statusCode ?? 502;
      answer.writeHead(status, response.statusMessage, withoutHopByHop(response.rawHeaders));
      response.on("error", () => answer.destroy());
      response.pipe(answer);
    });
    upstream.once("error", () => {
      if (!answer.headersSent)
        answer.writeHead(502, { "content-length": "0", connection: "close" });
      answer.end();
    });
    const socket = asked.socket;
    const { promise: recorded, resolve: done } = Promise.withResolvers<void>();
    this.#context.track(recorded);
    const before = { sent: socket.bytesRead, received: socket.bytesWritten };
    answer.once("close", () => {
      upstream.destroy();
      this.#record(asked, arrival, {
        host: asked.headers.host ?? target.host,
        url: target.url,
        status,
        decision: decisions.forwarded,
        verdict: decision.verdict,
        destination: way.destination,
        bytesSent: socket.bytesRead - before.sent,
        bytesReceived: socket.bytesWritten - before.received,
      });
      done();
    });
    // A body that breaks off closes the answer, too.
    if (hasBody(asked)) asked.on("error", () => {}).pipe(upstream);
    else upstream.end();
  }

  async #upgrade(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const { scene, arrival } = this.#visitOf(asked);
    client.on("error", () => client.destroy());
    const decision = decideRequest(this.#context, asked, scene);
    if (decision.kind === "stop") return this.#refuseUpgrade(asked, client, arrival, decision);
    const way = await openUpstream(this.#context, decision.target);
    if (way.kind === "unopened") {
      const { host } = decision.target;
      return this.#refuseUpgrade(asked, client, arrival, { ...way, host });
    }
    const { target, verdict } = decision;
    const upstream = forward(asked, target, way, true);
    const finish = (status: number, bytes: { bytesSent?: number; bytesReceived?: number }) =>
      this.#record(asked, arrival, {
        host: target.host,
        url: target.url,
        status,
        decision: decisions.forwarded,
        verdict,
        ...bytes,
      });
    upstream.once("upgrade", (response, socket, rest) => {
      client.write(headBytes(response));
      if (rest.length > 0) client.write(rest);
      if (head.length > 0) socket.write(head);
      this.#context.track(splice(client as Socket, socket).then((bytes) => finish(101, bytes)));
    });
    upstream.once("response", (response) => {
      client.write(headBytes(response));
      pipeline(response, client, () => finish(response.statusCode ?? 502, {}));
    });
    upstream.once("error", () => {
      client.end("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n");
      finish(502, {});
    });
    upstream.end();
  }

  #refuseUpgrade(
    asked: IncomingMessage,
    client: Duplex,
    arrival: Arrival,
    {
      status,
      host,
      verdict,
    }: Pick<Extract<Decision, { kind: "stop" }>, "status" | "host" | "verdict">,
  ): void {
    const url = asked.url ?? "-";
    this.#record(asked, arrival, { host, url, status, decision: resultOf(status), verdict });
    client.end(denialBytes(denial(host, verdict, asked.headers.accept, status), "Forbidden"));
  }

  #stop(
    asked: IncomingMessage,
    answer: ServerResponse,
    arrival: Arrival,
    { status, host, url, verdict }: Extract<Decision, { kind: "stop" }>,
  ): void {
    const { headers, body } = denial(host, verdict, asked.headers.accept, status);
    this.#record(asked, arrival, {
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

  #record(
    asked: IncomingMessage,
    arrival: Arrival,
    outcome: Omit<Outcome, "httpVersion" | "method" | "userAgent">,
  ): void {
    const { httpVersion, method = "-", headers } = asked;
    this.#context.record(
      recordOf(arrival, { httpVersion, method, userAgent: headers["user-agent"], ...outcome }),
    );
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  "content-length" in headers || "transfer-encoding" in headers;

/** The result field of a request that was not passed on. */
function resultOf(status: number): string {
  if (status === 403) return decisions.denied;
  return status === 400 ? decisions.malformed : decisions.unreachable;
}
