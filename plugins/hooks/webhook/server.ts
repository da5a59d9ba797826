/** The HTTP server of the `webhook` command. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { Duplex } from "node:stream";
import { hasOneHost } from "reeve/plugin";
import { createHandler } from "../server/handler.js";
import { WebhookExchange, type WebhookOptions } from "./exchange.js";

/** Bytes. Senders of webhooks stay far below; GitHub sends at most 25 MB. */
const MAX_BODY = 64 * 1024 * 1024;

const SETTINGS = {
  maxHeaderSize: 1024 * 1024,
  // Against senders that never finish a request.
  headersTimeout: 60_000,
  requestTimeout: 300_000,
} as const;

export function createWebhookServer(
  options: WebhookOptions,
  tls: ServerOptions | undefined,
): Server {
  const serve = createHandler({
    bodyLimit: MAX_BODY,
    open: (request) => new WebhookExchange(request, options),
  });
  // As the existing server demands.
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (hasOneHost(request)) serve(request, response);
    else response.writeHead(400, { connection: "close", "content-length": 0 }).end();
  };
  const server = tls
    ? createSecureServer({ ...SETTINGS, ...tls }, handle)
    : createServer(SETTINGS, handle);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else socket.end(malformedResponse(error.code));
  });
  return server;
}

/** Malformed requests get a response, too. Unknown methods run nothing. */
function malformedResponse(code = ""): string {
  const status = MALFORMED.get(code) ?? "400 Bad Request";
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

const MALFORMED: ReadonlyMap<string, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_INVALID_METHOD", "405 Method Not Allowed"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
]);
