/** How a plugin touches the world: HTTP, files and commands, each owned and bounded by the host. */
import type { FastifyInstance } from "fastify";
import type { Secret } from "./values.js";

/** HTTP on listeners that belong to the host, so that an address survives every reload. */
export interface Http {
  /**
   * Reserves `listen`, builds an application for `prefix` and leaves it waiting. Called within `prepare`: traffic
   * reaches it from that attempt's commit on, and an abort throws it away. A later server with the same address and
   * prefix takes its place without a refused connection. Routes are relative to `prefix`; `request.url` is the whole.
   * @throws when the address cannot be had, in one sentence.
   */
  serve(options: ServeOptions, routes: Routes): Promise<HttpServer>;
  /**
   * Routes under `/v1/<plugin id>/` of the control API, for the plugin's own commands. Call it once, in `setup`; they
   * can be reached from the first commit on.
   */
  control(routes: Routes): Promise<void>;
}
/** Adds routes to an application of the plugin's own. Its encapsulation, hooks and error handler are the plugin's. */
export type Routes = (app: FastifyInstance) => void | Promise<void>;
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
  /** HTTPS instead of HTTP. */
  readonly tls?: TlsFiles;
}
/** Absolute paths of PEM files. They are read again when they change. */
export interface TlsFiles {
  /** With the certificates between it and the root, if there are any. */
  readonly cert: string;
  readonly key: string;
  /** Who vouches for certificates of clients. Left out: none is asked for. */
  readonly clientCa?: string;
  /** Whether a client without a certificate of `clientCa` is turned away, or just has none. @default "required" */
  readonly clientCert?: "required" | "optional";
  /** @default "1.2" */
  readonly minVersion?: "1.2" | "1.3";
}
export interface HttpServer {
  /** The address as bound: with the real port. */
  readonly address: string;
  /** `http://127.0.0.1:9000/hooks`, without a slash at the end. */
  readonly url: string;
  /** Takes the server off its listener; requests in flight finish. Safe to call after something took its place. */
  close(): Promise<void>;
}

/** Watching files the way the daemon watches its own configuration: settled, hashed, symlink swaps and all. */
export interface Files {
  /**
   * Watches one file, or several by pattern (`*` within a name, `**` across directories), absolute.
   * `changed` gets the whole settled set each time it differs, and first when it is ready.
   */
  watch(
    patterns: readonly string[],
    options: WatchOptions,
    changed: (files: FileSet) => void,
  ): Promise<Watch>;
}
export interface WatchOptions {
  /** Milliseconds of quiet before reading. @default 150 */
  readonly settle?: number;
  /** Bytes; larger files are listed with an error instead of content. @default 8 MiB */
  readonly maxBytes?: number;
}
export interface FileSet {
  /** In the order of their paths. */
  readonly files: readonly WatchedFile[];
}
export interface WatchedFile {
  readonly path: string;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  readonly content: Uint8Array;
  /** Instead of content: `not found`, `is a directory`, `permission denied`, `larger than 8 MiB`. */
  readonly error?: string;
}
export interface Watch {
  close(): Promise<void>;
}

/** Commands, always in a process group of their own that is gone when `run` resolves. */
export interface Processes {
  run(request: ProcessRequest): Promise<ProcessResult>;
}
export interface ProcessRequest {
  /** Program and arguments; never a shell. The program is looked up in `PATH` of `env` when it has no slash. */
  readonly argv: readonly string[];
  /** @default the configuration's directory */
  readonly cwd?: string;
  /** The whole environment of the command; secrets are revealed only here. @default the daemon's own, without secrets' sources */
  readonly env?: Readonly<Record<string, string | Secret>>;
  /** Keep the daemon's environment and add `env` to it. @default true */
  readonly inheritEnv?: boolean;
  /** @default nothing: /dev/null */
  readonly stdin?: string | Uint8Array | Secret;
  /** Milliseconds until TERM. @default no limit */
  readonly timeout?: number;
  /** Milliseconds between TERM and KILL. @default 5000 */
  readonly grace?: number;
  /** Bytes kept of stdout and stderr together. More is counted and dropped from the middle. @default 64 KiB */
  readonly outputLimit?: number;
  /** `merged` keeps the true order of both streams; `separate` tells them apart. @default "merged" */
  readonly output?: "merged" | "separate";
  onOutput?(stream: "stdout" | "stderr", data: Uint8Array): void;
  readonly signal?: AbortSignal;
}
export interface ProcessResult {
  readonly outcome: "exited" | "killed" | "timed_out" | "cancelled" | "not_started";
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it could not start, in one sentence. */
  readonly error: string | undefined;
  readonly stdout: Uint8Array;
  /** Empty when output is merged. */
  readonly stderr: Uint8Array;
  /** Bytes that were not kept. */
  readonly omitted: number;
  /** Milliseconds from request to end. */
  readonly duration: number;
}
