/** One request inside decrypted HTTP/2, and its response. */
import { type ClientRequest, request as requestHttp1 } from "node:http";
import type {
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Verdict } from "../policy/policy.js";
import { type Arrival, decisions, type ProxyContext, type ProxyOutcome } from "./context.js";
import { denial, refusalStatus } from "./denial.js";
import type { Http2Origin, Http2Upstream } from "./http2-origin.js";
import { hostFor, openUpstream } from "./open-upstream.js";
import { outgoingBody } from "./outgoing-body.js";
import { decideRequest, denied, type RequestDecision } from "./request-decision.js";
import { clientLeft, recordRequest, resultOf } from "./request-record.js";

type Go = Extract<RequestDecision, { kind: "go" }>;

export interface Http2Session {
  /** Still unread: its client hello comes first. */
  readonly client: Socket;
  readonly identity: SecureContext;
  readonly origin: Http2Origin;
  readonly arrival: Arrival;
}

/** Connection headers of HTTP/1.1, which HTTP/2 does not have. */
const ofConnections = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
];

export class Http2Request {
  readonly #context: ProxyContext;
  readonly #session: Http2Session;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  /** The request in terms of HTTP/1.1. */
  readonly #head: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly headers: IncomingHttpHeaders;
    readonly rawHeaders: string[];
  };
  readonly #bytes = { bytesSent: 0, bytesReceived: 0 };
  readonly #closed: Promise<void>;
  #trailers: IncomingHttpHeaders = {};
  /** Why the body was not forwarded to its end. */
  #refusal: Verdict | undefined;

  constructor(
    context: ProxyContext,
    session: Http2Session,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
  ) {
    this.#context = context;
    this.#session = session;
    this.#stream = stream;
    this.#headers = headers;
    const { ":authority": authority, host } = headers;
    const hosts = [...new Set([authority, host].filter((value) => value !== undefined))];
    this.#head = {
      method: headers[":method"] ?? "-",
      url: headers[":path"] ?? "-",
      httpVersion: "2.0",
      headers,
      rawHeaders: hosts.flatMap((value) => ["host", value]),
    };
    stream.on("error", () => {});
    // Trailers may arrive before the connection to the origin is open.
    stream.once("trailers", (trailers) => {
      this.#trailers = trailers;
    });
    this.#closed = new Promise((resolve) => stream.once("close", () => resolve()));
  }

  /** Resolves when the request is finished and recorded. Calls `reach` only for an allowed request. */
  async serve(reach: () => Promise<Http2Upstream | undefined>): Promise<void> {
    const { name: host, port } = this.#session.origin;
    const origin = { kind: "intercepted", host, port } as const;
    const decision = decideRequest(this.#context, this.#head, origin);
    if (decision.kind === "stop") this.#refuse(decision.status, decision);
    else if (this.#head.method === "CONNECT") {
      const verdict = denied("deny-malformed", "a CONNECT request inside a tunnel");
      this.#refuse(400, { ...decision.target, verdict });
    } else {
      const way = await reach();
      if (this.#stream.destroyed) this.#record(decision, clientLeft, undefined);
      else await (way ? this.#pass(decision, way) : this.#translate(decision));
      return;
    }
    await this.#closed;
  }

  async #pass(decision: Go, { session, destination }: Http2Upstream): Promise<void> {
    if (session.destroyed || session.closed) {
      const reason = "the origin has closed the connection";
      this.#refuse(502, { ...decision.target, verdict: { ...decision.verdict, reason } });
      return this.#closed;
    }
    const upstream = session.request(
      {
        ...this.#fields(decision),
        ":method": this.#head.method,
        ":path": decision.target.path,
        ":scheme": "https",
        ":authority": hostFor(decision.target, this.#headers[":authority"]),
      },
      { endStream: this.#hasEnded, waitForTrailers: true },
    );
    const status = this.#join(upstream, decision);
    await this.#closed;
    upstream.close();
    this.#record(decision, await status, destination);
  }

  /** Forwards to an origin that speaks HTTP/1.1 only, on a connection of its own. */
  async #translate(decision: Go): Promise<void> {
    const { target } = decision;
    const way = await openUpstream(this.#context, target);
    if (way.kind === "unopened") {
      this.#refuse(way.status, { ...target, verdict: way.verdict });
      return this.#closed;
    }
    if (this.#stream.destroyed) {
      way.stream.on("error", () => {}).destroy();
      return this.#record(decision, clientLeft, way.destination);
    }
    const fields: OutgoingHttpHeaders = this.#fields(decision);
    delete fields.te;
    if (!this.#hasEnded && fields["content-length"] === undefined) {
      fields["transfer-encoding"] = "chunked";
    }
    const upstream = requestHttp1({
      method: this.#head.method,
      path: target.path,
      headers: {
        ...fields,
        host: hostFor(target, this.#headers[":authority"]),
        connection: "close",
      },
      setHost: false,
      createConnection: () => way.stream,
    });
    if (this.#hasEnded) upstream.useChunkedEncodingByDefault = false;
    const status = this.#joinHttp1(upstream, decision);
    await this.#closed;
    upstream.destroy();
    this.#record(decision, await status, way.destination);
  }

  get #hasEnded(): boolean {
    return this.#stream.readableEnded || this.#stream.endAfterHeaders;
  }

  /** Pipes both directions with informational responses and trailers. Resolves with the status. */
  #join(upstream: ClientHttp2Stream, decision: Go): Promise<number> {
    const stream = this.#stream;
    const { promise, resolve } = Promise.withResolvers<number>();
    let answerTrailers: IncomingHttpHeaders = {};
    upstream.on("wantTrailers", () => upstream.sendTrailers(this.#trailers));
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
    stream.on("wantTrailers", () => stream.sendTrailers(answerTrailers));
    upstream.on("error", () => {});
    upstream.once("close", () => {
      resolve(502);
      // An incomplete response must not look complete.
      if (!stream.headersSent && !stream.destroyed)
        stream.respond({ ":status": 502 }, { endStream: true });
      else if (upstream.rstCode !== 0 && !this.#refusal) stream.close(upstream.rstCode);
    });
    stream.once("aborted", () => upstream.close(stream.rstCode));
    this.#count(upstream);
    this.#send(upstream, decision);
    return promise;
  }

  #joinHttp1(upstream: ClientRequest, decision: Go): Promise<number> {
    const stream = this.#stream;
    const { promise, resolve } = Promise.withResolvers<number>();
    const breakOff = () => {
      resolve(502);
      if (stream.destroyed) return;
      if (stream.headersSent) stream.close(internalError);
      else stream.respond({ ":status": 502 }, { endStream: true });
    };
    upstream.once("response", (response) => {
      resolve(response.statusCode ?? 502);
      response.on("error", breakOff);
      if (stream.destroyed) return;
      const fields = Object.entries(response.headers).filter(
        ([name]) => !ofConnections.includes(name),
      );
      stream.respond({ ...Object.fromEntries(fields), ":status": response.statusCode ?? 502 });
      this.#count(response);
      response.pipe(stream);
    });
    upstream.on("error", () => {
      if (!stream.headersSent) breakOff();
    });
    upstream.once("close", () => resolve(502));
    stream.once("aborted", () => upstream.destroy());
    if (this.#hasEnded) upstream.end();
    else this.#send(upstream, decision);
    return promise;
  }

  /** Forwards the body, until it must not leave. */
  #send(upstream: ClientHttp2Stream | ClientRequest, { target, ...decision }: Go): void {
    const body = outgoingBody(this.#context, { target, ...decision });
    if (!body) return void this.#stream.pipe(upstream);
    this.#stream.pipe(body).pipe(upstream);
    body.once("error", () => {
      this.#refusal = body.refusal;
      upstream.destroy();
      if (this.#stream.destroyed) return;
      if (!body.refusal || this.#stream.headersSent) return this.#stream.close(internalError);
      this.#deny(target.host, body.refusal, refusalStatus(body.refusal));
    });
  }

  #count(answer: { on(event: "data", listener: (part: Buffer) => void): unknown }): void {
    this.#stream.on("data", (part: Buffer) => {
      this.#bytes.bytesSent += part.length;
    });
    answer.on("data", (part) => {
      this.#bytes.bytesReceived += part.length;
    });
  }

  /** Removes headers that the other side gets anew, and puts credentials in. */
  #fields({ target }: Go): IncomingHttpHeaders {
    const all = Object.entries(this.#headers).filter(
      ([name]) => !name.startsWith(":") && name !== "host" && !ofConnections.includes(name),
    );
    const fields = Object.fromEntries(all);
    return this.#context.credentials?.inFields(target, fields) ?? fields;
  }

  #record({ target, verdict }: Go, status: number, destination: ProxyOutcome["destination"]): void {
    recordRequest(this.#context, this.#head, this.#session.arrival, {
      host: this.#headers[":authority"] ?? target.host,
      url: target.url,
      status: this.#refusal ? refusalStatus(this.#refusal) : status,
      decision: this.#refusal ? decisions.denied : decisions.forwarded,
      verdict: this.#refusal ?? verdict,
      destination,
      ...this.#bytes,
    });
  }

  #refuse(
    status: number,
    { host, url, verdict }: { host: string; url: string; verdict: Verdict },
  ): void {
    recordRequest(this.#context, this.#head, this.#session.arrival, {
      host: this.#headers[":authority"] ?? host,
      url,
      status,
      decision: resultOf(status),
      verdict,
    });
    if (this.#stream.destroyed) return;
    this.#deny(host, verdict, status);
  }

  #deny(host: string, verdict: Verdict, status: number): void {
    const { headers, body } = denial(host, verdict, this.#headers.accept, status);
    const { connection: _, ...fields } = headers;
    this.#stream.resume();
    this.#stream.respond({ ":status": status, ...fields });
    this.#stream.end(this.#head.method === "HEAD" ? undefined : body);
  }
}

/** `INTERNAL_ERROR` of RFC 9113. */
const internalError = 2;
