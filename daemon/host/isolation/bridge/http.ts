/** The host's end of HTTP: holds the addresses, forwards requests to the plugin and sends its answers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type { ListenerClaims } from "../../../context/listener-claims.js";
import type { RequestHandler } from "../../../http/contract.js";
import { problem, sendProblem } from "../../../http/problem.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { HttpServer } from "../../../plugin-api/http.js";
import { faultMessage } from "../../../plugin-fault.js";
import type { ClientData, HeadData } from "../methods.js";
import { type BridgePart, Handles, type PluginPeer } from "./plugin-peer.js";

/** Bytes; a longer body crosses in parts. */
const WHOLE = 64 * 1024;

type HttpMethods = "http.serve" | "http.close" | "http.control" | "http.head" | "http.part";

export function servers(
  { log }: PluginContext,
  claims: ListenerClaims,
  peer: () => PluginPeer,
): BridgePart<HttpMethods> {
  const open = new Handles<number, HttpServer>("server");
  const exchanges = new Handles<number, ServerResponse>("request to answer");
  let count = 0;

  async function forward(
    server: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    count += 1;
    const exchange = count;
    const left = new AbortController();
    response.once("close", () => {
      exchanges.delete(exchange);
      if (!response.writableFinished) left.abort(new Error("The client disconnected."));
    });
    exchanges.set(exchange, response);
    try {
      const body = await shortBody(request);
      const answering = peer().call(
        "request",
        {
          server,
          exchange,
          method: request.method ?? "GET",
          url: request.url ?? "/",
          headers: request.headers,
          client: clientOf(request),
          body,
        },
        left.signal,
      );
      if (body === "follows") void pump(request, exchange);
      const answer = await answering;
      if (response.destroyed) return;
      if (answer.kind === "whole") writeHead(response, answer);
      response.end(answer.kind === "whole" ? answer.body : undefined);
    } catch (thrown) {
      if (left.signal.aborted || response.destroyed) return;
      log.warn(`Cannot forward a request to the plugin: ${faultMessage(thrown)}`);
      sendProblem(
        response,
        problem("not_ready", "The plugin that serves this address is not running."),
      );
    }
  }

  async function pump(request: IncomingMessage, exchange: number): Promise<void> {
    try {
      for await (const data of request as AsyncIterable<Uint8Array>) {
        await peer().call("body", { exchange, data });
      }
      await peer().call("body", { exchange, data: undefined });
    } catch {
      // The request or the plugin broke off; `forward` answers the client.
    }
  }

  const handler =
    (server: number): RequestHandler =>
    (request, response) =>
      void forward(server, request, response);
  const closeServer = (server: number) => async () => {
    open.delete(server);
    // A plugin that is gone has nothing to close.
    await peer()
      .call("closeServer", server)
      .catch(() => undefined);
  };

  return {
    async "http.serve"({ server, ...options }) {
      const bound = await claims.claim(options, handler(server), closeServer(server));
      open.set(server, bound);
      return { address: bound.address, url: bound.url };
    },
    "http.close": (server) => open.find(server)?.close(),
    "http.control": (server) => claims.mount(handler(server), closeServer(server)),
    "http.head": ({ exchange, ...head }) => {
      const response = exchanges.get(exchange);
      writeHead(response, head);
      response.flushHeaders();
    },
    async "http.part"({ exchange, data }) {
      const response = exchanges.get(exchange);
      if (response.write(data)) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          response.off("drain", done);
          response.off("close", done);
          resolve();
        };
        response.on("drain", done);
        response.on("close", done);
      });
    },
  };
}

/** Read once a connection: parsing a certificate takes long. */
const clients = new WeakMap<object, ClientData>();

function clientOf({ socket }: IncomingMessage): ClientData {
  const known = clients.get(socket);
  if (known) return known;
  const { remoteAddress = "", remotePort } = socket;
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
  const certificate = getPeerCertificate?.call(socket as TLSSocket) ?? {};
  // A client without a certificate has an empty one.
  const hasOne = authorized !== undefined && Object.keys(certificate).length > 0;
  const client = { remoteAddress, remotePort, ...(hasOne && { tls: { authorized, certificate } }) };
  clients.set(socket, client);
  return client;
}

/** A body that is announced as short is taken whole, so that most requests cross at once. */
async function shortBody(request: IncomingMessage): Promise<Uint8Array | "follows" | undefined> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined || Number(length) > WHOLE) return "follows";
  if (length === undefined || length === "0") return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Of the connection, not of the answer: the host's own server decides about them. */
const OWN = new Set(["connection", "keep-alive", "transfer-encoding"]);

function writeHead(response: ServerResponse, { status, headers }: HeadData): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OWN.has(name.toLowerCase())) response.setHeader(name, value);
  }
}
