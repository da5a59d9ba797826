/** HTTP servers of a plugin. The host owns the sockets. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

/** HTTP on listeners that belong to the host, so that an address survives every reload. */
export interface Http {
  /**
   * Reserves `listen`, builds an application for `prefix` and leaves it waiting. Called within `prepare`: traffic
   * reaches it from that attempt's commit on, and an abort throws it away. A later server with the same address and
   * prefix takes its place without a refused connection. Routes are relative to `prefix`; `request.url` is the whole.
   * @throws when the address cannot be had, in one sentence.
   */
  serve(options: ServeOptions, routes: Routes | RawHandler): Promise<HttpServer>;
  /**
   * Routes under `/v1/<plugin id>/` of the control API, for the plugin's own commands. Call it once, in `setup`; they
   * can be reached from the first commit on.
   */
  control(routes: Routes): Promise<void>;
}
/** Adds routes to an application of the plugin's own. Its encapsulation, hooks and error handler are the plugin's. */
export type Routes = (app: FastifyInstance) => void | Promise<void>;
/** Answers every request below the prefix itself, without Fastify. `bodyLimit` is then the handler's own business. */
export interface RawHandler {
  /**
   * Gets Node's request and response; must end the response. Errors it throws synchronously are logged and answered
   * with 500. In a worker or process the two are stand-ins without trailers.
   */
  handle(request: IncomingMessage, response: ServerResponse): void;
}
export interface ServeOptions {
  /** `127.0.0.1:9000`, `[::1]:9000`, `:9000` or `unix:/run/x.sock`. Port 0 takes a free one. */
  readonly listen: string;
  /** The path below which requests belong to this server: `/hooks`. @default "/" */
  readonly prefix?: string;
  /** Bytes. A longer body is answered with 413. @default 1 MiB */
  readonly bodyLimit?: number;
  /** Milliseconds to receive the whole request. @default 30000 */
  readonly requestTimeout?: number;
  /** Bytes of all headers of a request together. More are answered with 431. @default 16 KiB */
  readonly headerLimit?: number;
  /** What each address may hold; Unix sockets are not limited. */
  readonly perSource?: SourceLimits;
  /** HTTPS instead of HTTP. */
  readonly tls?: TlsFiles;
}
/** Of one IPv4 address or IPv6 network (/64). Servers that share an address have the widest of their limits. */
export interface SourceLimits {
  /** Open at the same time; more are closed. @default 1000 */
  readonly connections?: number;
  /** Without a response yet; more get 429. @default 1000 */
  readonly requests?: number;
  /** Addresses and networks that are not limited: proxies, which speak for many. */
  readonly exempt?: readonly string[];
}
/** Absolute paths of PEM files. They are read again when they change. */
export interface TlsFiles {
  /** With the certificates between it and the root, if there are any. */
  readonly cert: string;
  readonly key: string;
  /** The authority that signs client certificates. Absent: clients need none. */
  readonly clientCa?: string;
  /** Whether a client without a certificate of `clientCa` is turned away, or just has none. @default "required" */
  readonly clientCert?: "required" | "optional";
  /** @default "1.2" */
  readonly minVersion?: "1.2" | "1.3";
  /** Suites of TLS 1.2 by their OpenSSL names, best first. @default those with ECDHE and AES-GCM or ChaCha20-Poly1305 */
  readonly ciphers?: readonly string[];
  /** Whether clients may choose HTTP/2; handlers see its requests in the form of HTTP/1.1. @default true */
  readonly http2?: boolean;
}
export interface HttpServer {
  /** The address as bound: with the real port. */
  readonly address: string;
  /** `http://127.0.0.1:9000/hooks`, without a slash at the end. */
  readonly url: string;
  /** Takes the server off its listener; requests in flight finish. Safe to call after something took its place. */
  close(): Promise<void>;
}
