/** Serves a request without a body, up to the last byte of its response. The connection closes afterwards. */
import type { Socket } from "node:net";
import { readAnswerHead } from "./answer-head.js";
import { closeGracefully } from "./close-gracefully.js";
import { type Arrival, arrive, decisions, type ProxyContext, waiting } from "./context.js";
import { denial, denialBytes } from "./denial.js";
import { openUpstream, requestHead, type UpstreamConnection } from "./open-upstream.js";
import type { PlainHead } from "./plain-head.js";
import { decideOrAsk, type RequestDecision } from "./request-decision.js";
import { recordClientLeft, recordRequest, resultOf } from "./request-record.js";
import type { RequestOrigin } from "./request-target.js";

const idleMs = 30 * 60_000;
const badGateway = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

type Go = Extract<RequestDecision, { kind: "go" }>;

/** Resolves when the request is finished and recorded. Never rejects. */
export async function servePlain(
  context: ProxyContext,
  client: Socket,
  head: PlainHead,
  origin: RequestOrigin,
): Promise<void> {
  let hasLeft = false;
  const left = () => {
    hasLeft = true;
    client.destroy();
  };
  client.once("end", left);
  const deciding = decideOrAsk(context, head, origin, () =>
    waiting(client, arrive(client, context).requester, true),
  );
  const decision = deciding instanceof Promise ? await deciding : deciding;
  if (decision.kind === "stop") {
    client.off("end", left);
    return stop(context, client, head, arrive(client, context), decision);
  }
  const opening = openUpstream(context, decision.target);
  // Connecting takes longer than attribution, so it starts first.
  const arrival = await new Promise<Arrival>((resolve) => {
    process.nextTick(() => resolve(arrive(client, context)));
  });
  const way = await opening;
  client.off("end", left);
  if (way.kind === "unopened") {
    const { host, url } = decision.target;
    return stop(context, client, head, arrival, { ...way, kind: "stop", host, url });
  }
  if (hasLeft || client.destroyed) return recordClientLeft(context, head, arrival, way, decision);
  return new Exchange({ context, client, head, arrival, decision, upstream: way }).run();
}

function stop(
  context: ProxyContext,
  client: Socket,
  head: PlainHead,
  arrival: Arrival,
  { status, host, url, verdict }: Extract<RequestDecision, { kind: "stop" }>,
): void {
  const response = denial(host, verdict, head.headers.accept, status);
  const body = head.method === "HEAD" ? "" : response.body;
  closeGracefully(client, denialBytes({ ...response, body }));
  recordRequest(context, head, arrival, {
    host: hostOf(head) || host,
    url,
    status,
    decision: resultOf(status),
    verdict,
  });
}

function hostOf({ rawHeaders }: PlainHead): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && /^host$/i.test(name));
  return rawHeaders[at + 1] ?? "";
}

/** A forwarded request. */
interface Forwarded {
  readonly context: ProxyContext;
  readonly client: Socket;
  readonly head: PlainHead;
  readonly arrival: Arrival;
  readonly decision: Go;
  readonly upstream: UpstreamConnection;
}

/** A forwarded request and its response. */
class Exchange {
  readonly #request: Forwarded;
  #status = 502;
  /** The incomplete head of the response. */
  #early: Buffer | undefined;
  #answered = false;
  /** Remaining bytes of the body, if its length is known. */
  #left: number | undefined;
  #done = false;

  constructor(request: Forwarded) {
    this.#request = request;
  }

  run(): Promise<void> {
    const { context, client, head, decision, upstream: connection } = this.#request;
    const upstream = connection.stream as Socket;
    upstream.write(requestHead(context, head, decision.target, connection), "latin1");
    upstream.on("data", (bytes: Buffer) => this.#receive(bytes));
    upstream.on("error", () => this.#broken());
    upstream.once("end", () => this.#ended());
    upstream.once("close", () => this.#broken());
    upstream.setTimeout(idleMs, () => upstream.destroy());
    client.on("drain", () => upstream.resume());
    client.once("end", () => {
      if (!this.#done) client.destroy();
    });
    return new Promise((resolve) => {
      client.once("close", () => {
        this.#done = true;
        upstream.destroy();
        this.#record();
        resolve();
      });
    });
  }

  #receive(bytes: Buffer): void {
    if (this.#done) return;
    if (this.#answered) this.#pass(bytes);
    else this.#readHead(this.#early ? Buffer.concat([this.#early, bytes]) : bytes);
  }

  #readHead(all: Buffer): void {
    this.#early = all;
    const head = readAnswerHead(all, this.#request.head.method);
    if (head.kind === "partial") return;
    if (head.kind === "malformed") {
      this.#broken();
      return;
    }
    const rest = all.subarray(head.length);
    this.#early = undefined;
    if (head.status < 200) {
      this.#request.client.write(head.text, "latin1");
      if (rest.length > 0) this.#receive(rest);
      return;
    }
    this.#status = head.status;
    this.#answered = true;
    this.#left = head.bodyLength;
    const text = Buffer.from(head.text, "latin1");
    if (this.#left !== undefined) this.#left += text.length;
    this.#pass(rest.length > 0 ? Buffer.concat([text, rest]) : text);
  }

  #pass(bytes: Buffer): void {
    if (this.#left !== undefined && bytes.length >= this.#left) {
      this.#finish(bytes.subarray(0, this.#left));
      return;
    }
    if (this.#left !== undefined) this.#left -= bytes.length;
    if (!this.#request.client.write(bytes)) this.#request.upstream.stream.pause();
  }

  #ended(): void {
    if (this.#done) return;
    if (this.#answered && this.#left === undefined) this.#finish("");
    else this.#broken();
  }

  /** An incomplete response must not look complete. */
  #broken(): void {
    if (this.#done) return;
    if (this.#answered) this.#request.client.destroy();
    else this.#finish(badGateway);
  }

  #finish(last: Buffer | string): void {
    this.#done = true;
    const client = this.#request.client;
    // A slow reader may take long for the rest of the response.
    client.end(last, () => {
      this.#request.upstream.stream.destroy();
      closeGracefully(client, "");
    });
  }

  #record(): void {
    const { context, head, arrival, client, upstream, decision } = this.#request;
    const { target, verdict } = decision;
    recordRequest(context, head, arrival, {
      host: hostOf(head) || target.host,
      url: target.url,
      status: this.#status,
      decision: decisions.forwarded,
      verdict,
      destination: upstream.destination,
      bytesSent: client.bytesRead,
      bytesReceived: client.bytesWritten,
    });
  }
}
