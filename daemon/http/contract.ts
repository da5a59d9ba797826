/** Addresses that outlive generations, and plugin routes in the control API. Types only. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SourceLimits, TlsFiles } from "../plugin-api/http.js";

/** Sees the request as it came: the URL has its whole path, prefix included, and its query. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface RouteOptions {
  /** `127.0.0.1:9000`, `[::1]:9000`, `:9000` or `unix:/run/x.sock`. */
  readonly listen: string;
  /** Starts with `/`, does not end with one (except the root itself). */
  readonly prefix: string;
  /** Milliseconds to receive the whole request; 0 for what the address allows anyway. */
  readonly requestTimeout: number;
  /** Bytes of all headers of a request together. @default 16 KiB */
  readonly headerLimit?: number | undefined;
  readonly perSource?: SourceLimits | undefined;
  /** An address has one certificate at a time; a claim with another one gets a separate socket. */
  readonly tls?: TlsFiles | undefined;
  /** The plugin's id, for messages. */
  readonly owner: string;
}

/**
 * A claim on an address and prefix. The socket is bound when the claim is made; requests reach the handler from
 * `activate` on. An address is closed when no claim on it is left.
 */
export interface Route {
  /** As bound, with the real port. */
  readonly address: string;
  /** Requests that have not been answered yet. */
  readonly inFlight: number;
  /** Synchronous: takes over the prefix from its previous holder. */
  activate(): void;
  /** Stops sending requests here. Resolves when those in flight are answered. */
  release(): Promise<void>;
}

export interface Listeners {
  /** @throws ReeveError that names the process with the address or the missing right */
  claim(options: RouteOptions, handler: RequestHandler): Promise<Route>;
  /** Every open address with its prefixes, for status. */
  list(): ReadonlyArray<{ readonly address: string; readonly prefixes: readonly string[] }>;
  /** Every address that this process has, bound or inherited, in one spelling. */
  own(): readonly string[];
  /** Stops accepting; resolves when all is answered or `signal` cuts it off. */
  close(signal: AbortSignal): Promise<void>;
}

/** The part of the control API that plugins bring themselves, under `/v1/<plugin id>`. */
export interface ControlMounts {
  mount(pluginId: string, handler: RequestHandler): void;
  unmount(pluginId: string): void;
}
