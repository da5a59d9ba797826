/**
 * Messages between the host and a plugin in a worker or process. Values of the configuration, and anything
 * that may hold a secret, cross as `config/values/wire.ts` encodes them; everything else is plain data.
 */
import type { PeerCertificate } from "node:tls";
import type { PluginReport } from "../../config/program.js";
import type { ClaimOptions } from "../../context/listener-claims.js";
import type { Fields, HistogramOptions, Labels } from "../../plugin-api/context.js";
import type { FileSet, WatchOptions } from "../../plugin-api/files.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { ChangeAction, Health, StopReason } from "../../plugin-api/plugin.js";
import type { ProcessRequest, ProcessResult } from "../../plugin-api/processes.js";
import type {
  JobOptions,
  LeftRun,
  NewRun,
  QueueOptions,
  RunFilter,
  RunRecord,
  RunResult,
} from "../../plugin-api/state.js";

/** Of the plugin's worker or process. Bytes; `external` is outside the JavaScript heap: buffers. */
export interface PluginUsage {
  readonly heap: number;
  readonly external: number;
  /** Share of one core since the last answer. */
  readonly cpu: number;
}

type Directory = Readonly<Record<string, readonly string[]>>;

/** What the host asks of the plugin's side. */
export type PluginMethods = {
  setup(start: StartData): void;
  prepare(part: PartData): PreparationData;
  /** A message without an answer; it must not fail. */
  commit(attempt: number): void;
  abort(attempt: number): void;
  release(attempt: number): void;
  stop(reason: StopReason): void;
  health(): Health;
  panels(): readonly Panel[];
  secret(reference: string): string;
  usage(): PluginUsage;
  ping(): void;
  services(directory: Directory): void;
  service(call: {
    readonly name: string;
    readonly method: string;
    readonly args: readonly unknown[];
  }): unknown;
  job(job: JobData): void;
  output(chunk: {
    readonly process: number;
    readonly stream: "stdout" | "stderr";
    readonly data: Uint8Array;
  }): void;
  files(set: { readonly watch: number; readonly files: FileSet }): void;
  migrate(step: DatabaseData & { readonly name: string }): void;
  request(request: RequestData): ResponseData;
  /** The next part of a request's body; `undefined` is its end. */
  body(part: { readonly exchange: number; readonly data: Uint8Array | undefined }): void;
  closeServer(server: number): void;
};

interface StartData {
  readonly module: string;
  readonly host: string;
  readonly directories: {
    readonly state: string;
    readonly cache: string;
    readonly temporary: string;
    readonly configuration: string;
  };
  readonly services: Directory;
  /** Milliseconds since the epoch by the host's clock. */
  readonly now: number;
}

export interface PartData {
  readonly attempt: number;
  readonly generation: number;
  /** Encoded. */
  readonly blocks: readonly unknown[];
  readonly changes: ReadonlyArray<readonly [key: string, action: ChangeAction]>;
}

export interface PreparationData {
  readonly reports: readonly PluginReport[];
}

export interface JobData {
  readonly queue: number;
  readonly id: string;
  readonly attempt: number;
  readonly payload: unknown;
  readonly progress: unknown;
}

/** The client's end of a connection. */
export interface ClientData {
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
  /** Where the server asks for certificates: as Node's `getPeerCertificate` gives it. */
  readonly tls?: {
    readonly authorized: boolean;
    readonly certificate: Partial<PeerCertificate>;
  };
}

export interface RequestData {
  readonly server: number;
  readonly exchange: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly client: ClientData;
  /** Bytes of a short body; `undefined` without one, `"follows"` when it comes in parts. */
  readonly body: Uint8Array | "follows" | undefined;
}

/** A short response is whole; of a long one this is the end, after its head and parts were sent. */
export type ResponseData =
  | ({ readonly kind: "whole"; readonly body: Uint8Array } & HeadData)
  | { readonly kind: "sent" };

export interface HeadData {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
}

export type MetricKind = "counter" | "gauge" | "histogram";

/** A counter's sum, a gauge's last value (`undefined` removes it), or a histogram's observations. */
export interface Measurement {
  readonly kind: MetricKind;
  readonly name: string;
  readonly labels: Labels | undefined;
  readonly values: ReadonlyArray<number | undefined>;
}

/** How many messages of each kind were dropped. */
export interface Dropped {
  readonly log?: number;
  readonly emit?: number;
  readonly measure?: number;
}

/** What the plugin's side asks of the host. */
export type HostMethods = {
  log(line: {
    readonly level: "debug" | "info" | "warn" | "error";
    readonly message: string;
    readonly fields: Fields;
  }): void;
  emit(event: { readonly type: string; readonly data: Fields | undefined }): void;
  metric(metric: {
    readonly kind: MetricKind;
    readonly name: string;
    readonly help: string;
    readonly labels: readonly string[] | undefined;
    readonly options: HistogramOptions | undefined;
  }): void;
  measure(measurements: readonly Measurement[]): void;
  dropped(counts: Dropped): void;
  /** Something that must not fail did: a commit, most likely. */
  fault(reason: string): void;
  sleep(milliseconds: number): number;

  "map.get"(at: { readonly map: string; readonly key: string }): unknown;
  "map.set"(at: { readonly map: string; readonly key: string; readonly value: unknown }): void;
  "map.delete"(at: { readonly map: string; readonly key: string }): boolean;
  "map.entries"(at: {
    readonly map: string;
    readonly prefix: string | undefined;
    readonly limit: number | undefined;
  }): ReadonlyArray<readonly [string, unknown]>;
  "database.open"(migrations: readonly string[]): DatabaseData;
  "database.query"(query: QueryData): {
    readonly rows: readonly unknown[];
    readonly numAffectedRows: bigint | undefined;
    readonly insertId: bigint | undefined;
  };
  /** A connection of its own, for a transaction. */
  "database.acquire"(database: number): number;
  "database.release"(connection: number): void;

  "queue.open"(queue: {
    readonly queue: number;
    readonly name: string;
    readonly options: QueueOptions;
  }): void;
  "queue.add"(job: {
    readonly queue: number;
    readonly payload: unknown;
    readonly options: JobOptions | undefined;
  }): string;
  "queue.cancel"(job: { readonly queue: number; readonly id: string }): boolean;
  "queue.size"(queue: number): {
    readonly waiting: number;
    readonly running: number;
    readonly failed: number;
  };
  "queue.close"(queue: number): void;
  "job.report"(job: {
    readonly queue: number;
    readonly id: string;
    readonly progress: unknown;
  }): void;
  "job.hold"(id: string): void;

  "run.start"(run: NewRun): string;
  "run.get"(id: string): RunRecord | undefined;
  "run.list"(filter: RunFilter | undefined): readonly RunRecord[];
  "run.left"(): readonly LeftRun[];
  /** Whether the run could be resumed. */
  "run.resume"(run: { readonly id: string; readonly resume: unknown }): boolean;
  "run.running"(run: { readonly id: string; readonly keep: boolean }): void;
  "run.queued"(run: { readonly id: string; readonly resume: unknown }): void;
  "run.leave"(id: string): void;
  "run.output"(part: {
    readonly id: string;
    readonly stream: "stdout" | "stderr";
    readonly data: Uint8Array | string;
  }): void;
  "run.detail"(run: { readonly id: string; readonly detail: unknown }): void;
  "run.finish"(run: { readonly id: string; readonly result: RunResult }): void;

  "http.serve"(server: ClaimOptions & { readonly server: number }): {
    readonly address: string;
    readonly url: string;
  };
  "http.close"(server: number): void;
  "http.control"(server: number): void;
  "http.head"(head: HeadData & { readonly exchange: number }): void;
  "http.part"(part: { readonly exchange: number; readonly data: Uint8Array }): void;

  "files.watch"(watch: {
    readonly watch: number;
    readonly patterns: readonly string[];
    readonly options: WatchOptions;
  }): void;
  "files.close"(watch: number): void;
  /** The request encoded, without its callback and signal. */
  "process.run"(run: {
    readonly process: number;
    readonly request: unknown;
    readonly output: boolean;
  }): ProcessResult;

  "service.provide"(service: { readonly name: string; readonly methods: readonly string[] }): void;
  "service.call"(call: {
    readonly name: string;
    readonly method: string;
    readonly args: readonly unknown[];
  }): unknown;
};

export interface DatabaseData {
  readonly database: number;
  readonly dialect: "sqlite" | "postgres";
}

interface QueryData {
  readonly database: number;
  /** From `database.acquire`; without one any connection will do. */
  readonly connection: number | undefined;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A request for a command as it crosses: its secrets are encoded with their content. */
export type SentProcessRequest = Omit<ProcessRequest, "onOutput" | "signal">;
