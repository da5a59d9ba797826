/** A running hook server: its listener, its settings and the hooks it serves at the moment. */
import type { HttpServer, PluginContext, RawHandler, SourceLimits, TlsFiles } from "reeve/plugin";
import type { ServerBlock } from "../blocks/blocks.js";
import { normalPrefix, opensslNames } from "../blocks/hook-server.js";
import type { Proxies, ProxyHeader } from "../decide/client-address.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import type { RequestContext } from "../evidence/run-evidence.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import type { HookResponse } from "./handler.js";
import { type PathMatch, PathPatterns } from "./path-patterns.js";
import type { Tickets } from "./tickets.js";
import { TokenVerifier } from "./token-verifier.js";

export interface HookServerSettings {
  readonly listen: string;
  /** As configured; see `normalPrefix`. */
  readonly prefix: string;
  readonly body_limit: number;
  readonly request_timeout: number;
  readonly header_limit?: number;
  readonly connections_per_address?: number;
  readonly requests_per_address?: number;
  readonly tls?: ServerBlock["values"]["tls"];
  readonly allow_from?: readonly string[] | undefined;
  readonly trusted_proxies?: readonly string[] | undefined;
  readonly proxy_header?: ProxyHeader;
}

/** A hook of a hooks file; it decides and responds by the file's own rules. */
export interface FileHookTarget {
  readonly runtime: HookRuntime;
  respond(request: FileHookRequest): Promise<HookResponse | Refusal>;
}

export interface FileHookRequest {
  readonly request: Incoming;
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
  /** Of the client; 0 on a unix socket. */
  readonly port: number;
  /** `POST /hooks/deploy from 192.0.2.7`. */
  readonly from: string;
  /** For the run's record; called once the request is decided. */
  readonly context: () => RequestContext;
}

/** The hooks of one hooks file, by id. */
interface ServedFile {
  readonly hooks: ReadonlyMap<string, FileHookTarget>;
}

/** A hook of a path. */
export interface PlacedHook {
  readonly value: HookRuntime;
  /** Of a path with parameters. */
  readonly parameters?: PathMatch<HookRuntime>["parameters"];
}

export class HookServer {
  settings: HookServerSettings;
  readonly prefix: string;
  /** By path; several of a path in the order in which they are tried. */
  hooks: ReadonlyMap<string, readonly PlacedHook[]> = new Map();
  patterns = new PathPatterns<HookRuntime>();
  files: readonly ServedFile[] = [];
  stopping = false;
  tickets: Tickets | undefined;
  readonly tokens = new TokenVerifier();
  readonly #context: PluginContext;
  readonly #unmatched: () => void;
  #http: HttpServer | undefined;

  constructor(settings: HookServerSettings, context: PluginContext, unmatched: () => void) {
    this.settings = settings;
    this.prefix = normalPrefix(settings.prefix);
    this.#context = context;
    this.#unmatched = unmatched;
  }

  /** `http://127.0.0.1:9000/hooks`, without a slash at the end. */
  get url(): string {
    return this.#http?.url ?? "";
  }

  /** Within `prepare`. @throws when the address is not available */
  async open(handler: RawHandler): Promise<void> {
    const { listen, body_limit, request_timeout, header_limit } = this.settings;
    const tls = tlsOf(this.settings);
    this.#http = await this.#context.http.serve(
      {
        ...{ listen, prefix: this.prefix, bodyLimit: body_limit, requestTimeout: request_timeout },
        ...(header_limit === undefined ? {} : { headerLimit: header_limit }),
        ...(tls === undefined ? {} : { tls }),
        perSource: perSourceOf(this.settings),
      },
      handler,
    );
  }

  /** Requests in flight finish. */
  async close(): Promise<void> {
    try {
      await this.#http?.close();
    } catch (thrown) {
      this.reportError(thrown);
    }
  }

  get runs(): PluginContext["runs"] {
    return this.#context.runs;
  }

  get asksForCertificates(): boolean {
    return this.settings.tls?.values.client_ca !== undefined;
  }

  get allowFrom(): readonly string[] | undefined {
    return this.settings.allow_from;
  }

  get proxies(): Proxies | undefined {
    const { trusted_proxies: trusted, proxy_header: header = "X-Forwarded-For" } = this.settings;
    return trusted && { trusted, header };
  }

  /** Of blocks. */
  get runtimes(): readonly HookRuntime[] {
    return [
      ...[...this.hooks.values()].flatMap((placed) => placed.map(({ value }) => value)),
      ...this.patterns.values,
    ];
  }

  fileHook(id: string): FileHookTarget | undefined {
    for (const { hooks } of this.files) {
      const found = hooks.get(id);
      if (found) return found;
    }
    return undefined;
  }

  now(): number {
    return this.#context.clock.now();
  }

  countUnmatched(): void {
    this.#unmatched();
  }

  reportError(thrown: unknown): void {
    this.#context.log.error("A hook server has an internal error", {
      listen: this.settings.listen,
      reason: thrown instanceof Error ? thrown.message : String(thrown),
    });
  }
}

/** In the form of `http.serve`. */
function perSourceOf({
  connections_per_address: connections,
  requests_per_address: requests,
  trusted_proxies: exempt,
}: HookServerSettings): SourceLimits {
  return {
    ...(connections === undefined ? {} : { connections }),
    ...(requests === undefined ? {} : { requests }),
    ...(exempt === undefined ? {} : { exempt }),
  };
}

/** In the form of `http.serve`. */
export function tlsOf({ tls }: Pick<HookServerSettings, "tls">): TlsFiles | undefined {
  if (!tls) return undefined;
  const { cert, key, min_version, ciphers, client_ca, client_cert, http2 } = tls.values;
  return {
    ...{ cert, key, minVersion: min_version, clientCert: client_cert, http2 },
    ...(ciphers === undefined ? {} : { ciphers: opensslNames(ciphers) }),
    ...(client_ca === undefined ? {} : { clientCa: client_ca }),
  };
}

/** Whether a running server can take the other settings; the rest is read for every request. */
export function sameSettings(one: HookServerSettings, other: HookServerSettings): boolean {
  return (
    one.listen === other.listen &&
    normalPrefix(one.prefix) === normalPrefix(other.prefix) &&
    one.header_limit === other.header_limit &&
    JSON.stringify(perSourceOf(one)) === JSON.stringify(perSourceOf(other)) &&
    JSON.stringify(tlsOf(one)) === JSON.stringify(tlsOf(other)) &&
    one.body_limit === other.body_limit &&
    one.request_timeout === other.request_timeout
  );
}
