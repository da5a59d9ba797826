/** The HTTP side of `webhook`: every row of the existing server's table of answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { FileResponse } from "../../plugins/hooks/compat/answer.js";
import { TEXTS } from "../../plugins/hooks/compat/decide.js";
import { detectContentType } from "../../plugins/hooks/compat/detect-type.js";
import { readBody } from "./body.js";
import { bytes, elapsed } from "./figures.js";
import { type HandledRequest, type Handling, handleHook, plain, remoteAddress } from "./handle.js";
import { newId, type RequestLog, secretsOf, type WebhookLog } from "./log.js";
import type { HookTable } from "./table.js";
import { targetOf } from "./target.js";

export interface ServerSettings extends Handling {
  readonly table: HookTable;
  readonly log: WebhookLog;
  /** Without slashes at its ends. */
  readonly prefix: string;
  /** Use the request's `X-Request-Id`, cut to so many bytes; 0 for all. */
  readonly requestIds: { readonly limit: number } | undefined;
  readonly tls: ServerOptions | undefined;
}

const settings = {
  maxHeaderSize: 1024 * 1024,
  // Against senders that never come to an end.
  headersTimeout: 60_000,
  requestTimeout: 300_000,
} as const;

export function hookServer(options: ServerSettings): Server {
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void serve(request, response, options);
  };
  const server = options.tls
    ? createSecureServer({ ...settings, ...options.tls }, listener)
    : createServer(settings, listener);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else socket.end(unreadable(error.code));
  });
  return server;
}

/** What is no request gets an answer all the same. Methods that nobody has heard of run nothing. */
function unreadable(code: string | undefined): string {
  const status =
    code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : code === "HPE_INVALID_METHOD"
        ? "405 Method Not Allowed"
        : code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? "408 Request Timeout"
          : "400 Bad Request";
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerSettings,
): Promise<void> {
  const began = process.hrtime.bigint();
  const log = requestLog(request, options);
  let told: HandledRequest;
  try {
    told = await answer(request, log, options);
  } catch (thrown) {
    log.complain(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    told = plain(500);
  }
  const size = send(response, told, request);
  const { method, url = "", headers } = request;
  if (log.verbose) {
    const took = elapsed(process.hrtime.bigint() - began);
    log.say(`${told.status} | ${bytes(size)} | ${took} | ${headers.host ?? ""} | ${method} ${url}`);
  }
  log.dump("<", [`${told.status}`, ...told.headers.map(([name, value]) => `${name}: ${value}`)]);
  told.after?.();
}

async function answer(
  request: IncomingMessage,
  log: RequestLog,
  options: ServerSettings,
): Promise<HandledRequest> {
  const { method = "", url = "/" } = request;
  const { target, query } = targetOf(url, options.prefix);
  switch (target.kind) {
    case "root":
      return { status: 200, headers: options.headers, body: "OK" };
    case "bad":
      return plain(400, "400 Bad Request");
    case "moved":
      return { ...plain(301), headers: [["location", target.to]] };
    case "elsewhere": {
      const headers = [["x-content-type-options", "nosniff"]] as const;
      return { status: 404, headers, body: "404 page not found\n" };
    }
    default: {
      log.say(`incoming HTTP ${method} request from ${remoteAddress(request)}`);
      const hook = options.table.find(target.id);
      if (!hook) return plain(404, TEXTS.unknown);
      const read = async (): Promise<Uint8Array | FileResponse> => {
        const reading = await readBody(request);
        if (reading instanceof Uint8Array) {
          log.dump(">", [
            `${method} ${url}`,
            ...headerLines(request),
            "",
            reading.toString("utf8"),
          ]);
          return reading;
        }
        log.say(`error reading the request body: ${reading.message}`);
        return plain(reading.status, reading.message);
      };
      return handleHook(hook, request, query, read, log, options);
    }
  }
}

/** Gives the bytes of the body. */
function send(
  response: ServerResponse,
  { status, headers, body }: HandledRequest,
  request: IncomingMessage,
): number {
  const content =
    typeof body === "string"
      ? Buffer.from(body)
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const [name, value] of headers) {
    try {
      response.setHeader(name, value);
    } catch {
      // A header that cannot be sent is left out, as ever.
    }
  }
  const bodiless = status === 204 || status === 304;
  if (!bodiless) {
    if (content.length > 0 && !response.hasHeader("content-type")) {
      response.setHeader("content-type", detectContentType(content));
    }
    response.setHeader("content-length", content.length);
  }
  // What was not read would be taken for the next request.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status);
  response.end(bodiless ? undefined : content);
  return bodiless ? 0 : content.length;
}

function requestLog(request: IncomingMessage, { requestIds, log }: ServerSettings): RequestLog {
  const given = requestIds ? request.headers["x-request-id"] : undefined;
  const id =
    typeof given === "string" && given !== ""
      ? Buffer.from(given.replace(/[^\x21-\x7e]/g, ""))
          .subarray(0, requestIds?.limit || undefined)
          .toString()
      : newId();
  if (!log.verbose) return log.request(id);
  const mark = (request.url ?? "").indexOf("?");
  const query = mark === -1 ? [] : new URLSearchParams((request.url ?? "").slice(mark + 1));
  return log.request(id, [...secretsOf(Object.entries(request.headers)), ...secretsOf(query)]);
}

function headerLines({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
}
