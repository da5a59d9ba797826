/** Services that the daemon's parts share, one of each per daemon. Types only. */
import type { DependencyContainer } from "tsyringe";
import type { Clock, Events, Fields, Log, Metrics } from "../plugin-api/context.js";
import type { RunFilter, RunRecord, RunState, Runs } from "../plugin-api/state.js";
import type { BackupManifest } from "./store/backup.js";
import type { DamageFinding } from "./store/state-damage.js";

export interface ServiceOptions {
  /** Absolute directories, made with mode 0700 when they are missing. */
  readonly directories: {
    /** Survives restarts: the database, last-good configurations, a folder a plugin. */
    readonly state: string;
    readonly cache: string;
    /** Emptied when the services open. */
    readonly temporary: string;
  };
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** `json` for machines; `text` for people at a terminal. */
  readonly logFormat: "json" | "text";
  /** @default standard error */
  readonly logStream?: NodeJS.WritableStream;
  /** @default the real one */
  readonly clock?: Clock;
  /** How commands are started: `plain` is Node's own way. @default `fastest`, the fastest this host has */
  readonly commands?: "fastest" | "plain";
}

/** Opened once a daemon, closed last. Everything it hands out stops working when it closes. */
export interface DaemonServices {
  readonly log: Log;
  /** The newest lines of it, those after a number, oldest first. */
  readonly logLines: { since(sequence: number): readonly LogLine[] };
  readonly clock: Clock;
  readonly events: EventBus;
  readonly metrics: MetricsRegistry;
  readonly conditions: Conditions;
  readonly runs: RunLog;
  /** Small records of the daemon's own parts, a namespace each: generations, quarantine. */
  records(namespace: string): Records;
  /** Every secret that was revealed to anything; output and log lines pass through it. */
  readonly mask: SecretMask;
  /**
   * Keeps what plugins keep, and jobs, in a database that several daemons share, or with `undefined` in the daemon's own
   * file again; `name` is what this daemon is called, the host's name without one; called before any plugin is given something. Waits for a database that cannot be reached, until `signal`.
   * @throws ReeveError `store_refused` where waiting will not help
   */
  share(
    database:
      | { readonly address: string; readonly lease: number; readonly name?: string | undefined }
      | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** Of the database that daemons share; `undefined` where this one shares nothing. */
  database(): DatabaseState | undefined;
  /** What was acknowledged and is missing, until a user accepts it. */
  damage(): readonly DamageFinding[];
  /**
   * Copies the state directory to a new directory, as it is at one moment, while everything goes on.
   * @throws ReeveError `backup_failed`
   */
  backUp(to: string, version: string): Promise<BackupManifest>;
  setLogLevel(level: ServiceOptions["logLevel"]): void;
  setRunLimits(limits: {
    readonly keep: number;
    readonly age: number;
    readonly output: number;
    readonly total: number;
  }): void;
  /** Kills every command that runs. */
  killCommands(): void;
  /** A child container for one plugin instance. */
  openScope(instance: InstanceIdentity): InstanceScope;
  /** Resolves when everything is on disk and nothing is left running. */
  close(): Promise<void>;
}

/** A fault of the daemon or its machine, until it is over. */
export interface ConditionFinding {
  /** A name in snake case, or the code of a diagnostic. */
  readonly code: string;
  /** One sentence and, if something can be done, what. */
  readonly reason: string;
  /** The block it is about, by its key, or a file. */
  readonly subject?: string;
  /** The daemon must not receive work. */
  readonly isUnready: boolean;
  /** Milliseconds since the epoch; by default when it was first found. */
  readonly since?: number;
}

export interface DaemonCondition extends ConditionFinding {
  readonly since: number;
}

export interface Conditions {
  /** Those that make the daemon unready first, then the oldest first. */
  list(): readonly DaemonCondition[];
  /** Everything that `source` finds now: what is new is raised, what is missing is cleared. */
  report(source: string, found: readonly ConditionFinding[]): void;
}

export interface DatabaseState {
  /** This daemon, as the others know it. */
  readonly daemon: string;
  /** It cannot be reached: why, in one sentence, and since when, in milliseconds since the epoch. */
  readonly away?: { readonly reason: string; readonly since: number };
}

export interface InstanceIdentity {
  readonly plugin: string;
  /** The generation that runs at the time of the call. */
  readonly generation: () => number;
  /** Directory of the configuration's root file. */
  readonly configuration: string;
}

interface InstanceScope {
  readonly scope: DependencyContainer;
  /** Aborts the instance's signal and ends its services: timers, queue workers, commands that still run. */
  close(): Promise<void>;
}

/** A line of the log, without secrets. */
export interface LogLine {
  /** Without gaps, from 1 at the daemon's start. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly level: ServiceOptions["logLevel"];
  /** Absent for the daemon's own. */
  readonly plugin?: string;
  readonly message: string;
  readonly fields: Fields;
}

export interface DaemonEvent {
  /** Without gaps, from 1 at the daemon's start. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: string;
  /** Absent for the daemon's own. */
  readonly plugin?: string;
  readonly data: Fields;
}

export interface EventBus extends Events {
  /** Of the newest event; 0 before the first. */
  readonly sequence: number;
  /** Events after `sequence`, oldest first; `undefined` where some of them are no longer kept. */
  since(sequence: number): readonly DaemonEvent[] | undefined;
  /** Called synchronously for every event from now on; a listener that throws is logged and kept. Returns the way out. */
  subscribe(listener: (event: DaemonEvent) => void): () => void;
  scoped(plugin: string): Events;
}

export interface MetricsRegistry {
  /** `reeve_<prefix>_<name>`. */
  scoped(prefix: string): Metrics;
  /** Prometheus text exposition. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Absent where nothing is shared: then it is this one's. */
export interface HostedRun extends RunRecord {
  /** What the daemon is called that it ran on. */
  readonly host?: string;
}

export interface HostedFilter extends RunFilter {
  readonly host?: string;
}

/** Runs of all plugins and, where daemons share a store, of all of them. */
export interface RunLog {
  get(id: string): Promise<HostedRun | undefined>;
  list(filter?: HostedFilter): Promise<readonly HostedRun[]>;
  /** Why runs of other hosts were missing when they were last asked for, in a sentence. */
  readonly unseen: string | undefined;
  /** How many records of this host are kept, by state. */
  counts(): Promise<Readonly<Record<RunState, number>>>;
  scoped(plugin: string, generation: () => number): Runs;
}

export interface Records {
  get<Value>(key: string): Promise<Value | undefined>;
  /** JSON data. When it resolves the change survives a power cut, or only the daemon's death where that is enough. */
  set(key: string, value: unknown, survives?: "power" | "daemon"): Promise<void>;
  delete(key: string, survives?: "power" | "daemon"): Promise<void>;
  /** By key, descending where `newest` is set. */
  list<Value>(options?: {
    readonly prefix?: string;
    readonly newest?: boolean;
    readonly limit?: number;
  }): Promise<ReadonlyArray<{ readonly key: string; readonly value: Value }>>;
}

export interface SecretMask {
  /** Texts shorter than 4 characters are not masked: they occur everywhere. */
  add(secret: string): void;
  /** Every known secret replaced by `(secret)`, also in its JSON, URL and Base64 spellings. */
  text(text: string): string;
}
