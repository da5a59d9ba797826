/**
 * One request, from its head to its response, for every server of hooks: the daemon's and the `webhook` command's. Knows
 * HTTP and no hook; an `Exchange` finds the hook, decides, submits the run and renders the response.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { type BodyProblem, hasBody, receiveBody } from "./receive-body.js";
import { RequestView } from "./request-view.js";

export interface HookResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable;
  /** Called once the response is handed to the connection. */
  readonly onSent?: () => void;
}

/** What a server makes of one request. */
export interface Exchange {
  /** `respond` follows at once, without a body. */
  readonly ignoresBody: boolean;
  /** By the head alone: a response, or nothing where the body decides. */
  begin(): HookResponse | undefined;
  /** A refusal is returned directly: a promise would be a good part of what it costs. */
  respond(body: Uint8Array): HookResponse | Promise<HookResponse>;
  /** The body does not arrive. */
  reject(problem: BodyProblem): HookResponse;
  /** An error of our own. */
  fail(thrown: unknown): HookResponse;
}

export interface HandlerOptions {
  /** Bytes; read for each request. */
  readonly bodyLimit: number;
  /** Of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  open(request: RequestView): Exchange;
}

const EMPTY = new Uint8Array();

export const createHandler =
  (options: HandlerOptions) =>
  (raw: IncomingMessage, response: ServerResponse): void => {
    const request = new RequestView(raw);
    const exchange = options.open(request);
    const reply = (result: HookResponse): void => send(response, result, options.headers);
    const fail = (thrown: unknown): void => {
      const result = exchange.fail(thrown);
      if (response.headersSent) response.destroy();
      else reply(result);
    };
    /** `undefined`: the response follows later. */
    const attempt = (respond: () => HookResponse | Promise<HookResponse> | undefined): void => {
      try {
        const result = respond();
        if (result instanceof Promise) result.then(reply).catch(fail);
        else if (result !== undefined) reply(result);
      } catch (thrown) {
        fail(thrown);
      }
    };
    attempt(() => {
      const early = exchange.begin();
      if (early) return early;
      if (exchange.ignoresBody || !hasBody(request)) return exchange.respond(EMPTY);
      receiveBody(request, options.bodyLimit, (body) =>
        attempt(() => (typeof body === "string" ? exchange.reject(body) : exchange.respond(body))),
      );
      return undefined;
    });
  };

function send(
  response: ServerResponse,
  { status, headers: own, body, onSent }: HookResponse,
  common: HandlerOptions["headers"],
): void {
  const headers = common ? { ...own, ...common } : own;
  if (status === 204 || status === 304) {
    const { "content-type": _, ...others } = headers;
    response.writeHead(status, others).end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
    response.writeHead(status, { ...headers, "content-length": length }).end(body);
  } else {
    response.writeHead(status, headers);
    // A body that fails cuts the response off; a client that hangs up ends the body.
    pipeline(body, response, () => undefined);
  }
  onSent?.();
}
