/**
 * What a plugin may use: one interface per service, the same in every isolation. What is asynchronous may cross a
 * process boundary; what is synchronous never waits.
 */

import type { Files } from "./files.js";
import type { Http } from "./http.js";
import type { Processes } from "./processes.js";
import type { Jobs, Runs, Store } from "./state.js";

export interface PluginContext {
  /** The plugin's id. */
  readonly id: string;
  /** What this daemon is called where several share a store, and the host otherwise. */
  readonly host: string;
  readonly log: Log;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly jobs: Jobs;
  readonly runs: Runs;
  readonly http: Http;
  readonly files: Files;
  readonly processes: Processes;
  readonly services: Services;
  readonly clock: Clock;
  readonly directories: Directories;
  /** Aborted when the instance must be gone. */
  readonly signal: AbortSignal;
}

/** Structured logging. Secrets and the usual names of secrets are redacted, whatever is passed. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A log that adds `fields` to every line. */
  child(fields: Fields): Log;
}
export type Fields = Readonly<Record<string, unknown>>;

/** Facts in the past tense (`hook.triggered`): broadcast to subscribers, never answered, dropped for slow ones. */
export interface Events {
  /** `type` in dots and lower case; `data` must be plain JSON data without secrets. */
  emit(type: string, data?: Fields): void;
}

/** Prometheus metrics. Names are given without prefix: `calls_total` becomes `reeve_<plugin>_calls_total`. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  /** Observations in the unit of the name (`_seconds`, `_bytes`). */
  histogram(name: string, help: string, options?: HistogramOptions): Histogram;
}
export type Labels = Readonly<Record<string, string>>;
export interface Counter {
  add(amount?: number, labels?: Labels): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  remove(labels: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}
export interface HistogramOptions {
  readonly labels?: readonly string[];
  /** Upper bounds, ascending. @default 5 ms to 60 s in seconds */
  readonly buckets?: readonly number[];
}

/** What plugins offer each other, by name; never by import. Methods are asynchronous, arguments plain data. */
export interface Services {
  provide(
    name: string,
    implementation: Readonly<Record<string, (...args: never[]) => Promise<unknown>>>,
  ): void;
  /** `undefined` while no plugin provides it. Ask again each time: providers come and go. */
  use<Service>(name: string): Service | undefined;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Absolute, existing, of the plugin's own, mode 0700. */
export interface Directories {
  /** Survives restarts. */
  readonly state: string;
  /** May be emptied between starts. */
  readonly cache: string;
  /** Emptied at every start of the daemon. */
  readonly temporary: string;
  /** Where the root file of the configuration is. */
  readonly configuration: string;
}
