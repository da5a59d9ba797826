/** HTTP/2 on TLS listeners (RFC 9113): requests take the form of HTTP/1.1, so that every handler serves both. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  createServer,
  Http2ServerRequest,
  Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Server as SecureServer } from "node:https";
import type { TLSSocket } from "node:tls";
import type { RequestHandler } from "../contract.js";
import { LIMITS } from "./limits.js";

/** The most recently sent GOAWAY names the last stream that is handled; this one refuses none. */
const EVERY_STREAM = 2 ** 31 - 1;

/** What a client may ask of one connection. */
const OPTIONS = {
  /** Megabytes that a session may hold. */
  maxSessionMemory: 4,
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 100,
} as const;

/** The connections of an HTTPS server whose clients chose `h2`. */
export class Http2Connections {
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #server;

  /** Takes the connections from `https` before its HTTP/1.1 parser sees them. */
  constructor(https: SecureServer, handler: RequestHandler) {
    this.#server = createServer({
      ...OPTIONS,
      Http2ServerRequest: Request,
      Http2ServerResponse: Response,
    });
    this.headerLimit = LIMITS.headerBytes;
    this.#server.on("session", (session) => this.#add(session));
    this.#server.on("request", (request, response) =>
      handler(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    );
    const http1 = https.listeners("secureConnection") as Array<(socket: TLSSocket) => void>;
    https.removeAllListeners("secureConnection");
    https.on("secureConnection", (socket) => {
      if (socket.alpnProtocol === "h2") this.#server.emit("connection", socket);
      else for (const listener of http1) listener.call(https, socket);
    });
  }

  /** Bytes of all headers of a request, for later connections. */
  set headerLimit(bytes: number) {
    this.#server.updateSettings({
      maxConcurrentStreams: LIMITS.streams,
      maxHeaderListSize: bytes,
      enablePush: false,
    });
  }

  /** Asks the clients to open no further requests; those that are on their way are handled. */
  announceEnd(): void {
    for (const session of this.#sessions) {
      if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, EVERY_STREAM);
    }
  }

  /** Connections end with their last response; further requests are refused, and clients may send them elsewhere. */
  end(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Clients see an error: a response that is cut off does not look whole. */
  cut(): void {
    for (const session of this.#sessions)
      session.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
  }

  #add(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    // Node closes a session with an error by itself.
    session.on("error", () => undefined);
    let requests = 0;
    const endIfIdle = (): void => {
      if (requests === 0) session.close();
    };
    session.on("timeout", endIfIdle);
    session.setTimeout(LIMITS.headersTimeout);
    session.on("stream", (stream) => {
      if (requests === 0) session.setTimeout(LIMITS.keepAliveTimeout);
      requests += 1;
      stream.once("close", () => {
        requests -= 1;
      });
    });
  }
}

type Fields = Record<string, string | string[] | undefined>;

/** Without pseudo-header fields; the authority is the host. */
class Request extends Http2ServerRequest {
  constructor(stream: ServerHttp2Stream, fields: Fields, options: object, raw: readonly string[]) {
    super(stream, fields, options, raw);
    const { ":authority": authority } = fields;
    const added: Record<string, string> = {};
    if (typeof authority === "string") added.host = authority;
    // As gateways to HTTP/1.1 do, for a body without an announced length.
    const hasBody = !stream.endAfterHeaders && fields["content-length"] === undefined;
    if (hasBody) added["transfer-encoding"] = "chunked";
    const isKept = (name: string): boolean => !name.startsWith(":") && !Object.hasOwn(added, name);
    const own = Object.entries(fields).filter(([name]) => isKept(name));
    const ownRaw = raw.filter((_, index) => isKept(raw[index - (index % 2)] ?? ""));
    Object.defineProperties(this, {
      headers: { value: { ...Object.fromEntries(own), ...added } },
      rawHeaders: { value: [...Object.entries(added).flat(), ...ownRaw] },
    });
    // As in HTTP/1.1, a handler need not listen for it.
    this.on("error", () => undefined);
    // Node ends the body of a stream that was reset as if it were whole.
    stream.once("aborted", () => {
      if (!this.readableEnded) this.destroy(new Error("The client reset the request."));
    });
  }
}

/** Of the connection, not of the response; HTTP/2 has its own means (RFC 9113, 8.2.2). */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

class Response extends Http2ServerResponse<Request> {
  constructor(stream: ServerHttp2Stream) {
    super(stream);
    Object.defineProperty(this, "destroyed", { get: () => stream.destroyed });
    // A client may go on sending a body that has its response; it is asked to stop (RFC 9113, 8.1).
    stream.once("finish", () => {
      if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  override setHeader(name: string, value: number | string | readonly string[]): void {
    if (!OF_CONNECTION.has(name.toLowerCase())) super.setHeader(name, value as string);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the forms of Node's method.
  override writeHead(status: number, ...rest: any[]): this {
    const headers: unknown = rest.find((each) => typeof each === "object") ?? {};
    const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers as Fields);
    const kept = pairs.filter(([name]) => !OF_CONNECTION.has(String(name).toLowerCase()));
    return Array.isArray(headers)
      ? super.writeHead(status, kept as never)
      : super.writeHead(status, Object.fromEntries(kept));
  }
}

/** Of a list of pairs, or of names and values in turn. */
const pairsOf = (list: readonly unknown[]): ReadonlyArray<readonly unknown[]> =>
  Array.isArray(list[0])
    ? (list as ReadonlyArray<readonly unknown[]>)
    : list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []));
