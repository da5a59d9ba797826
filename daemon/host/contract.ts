/** What the rest of the daemon knows of running plugins. Types only. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { HostProbe, Plan, PluginCatalog, Program } from "../config/program.js";
import type { Isolation, Permissions } from "../plugin-api/descriptor.js";
import type { Panel } from "../plugin-api/panel.js";
import type { Health } from "../plugin-api/plugin.js";

export type PluginState =
  | "discovered"
  | "starting"
  | "running"
  | "preparing"
  | "degraded"
  | "stopping"
  | "stopped"
  /** Waiting to be started again after a failure. */
  | "backoff"
  /** Failed too often; stays down until released. */
  | "quarantined";

export interface PluginStatus {
  readonly id: string;
  readonly title: string;
  readonly version: string | undefined;
  readonly namespace: string | undefined;
  readonly state: PluginState;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly isolation: Isolation;
  readonly permissions: Permissions;
  readonly health: Health;
  /** Blocks in the running generation. */
  readonly blocks: number;
  readonly restarts: number;
  /** The last failure, in one sentence, and when. */
  readonly failure?: { readonly reason: string; readonly at: number };
  /** When the next start is tried, for `backoff`. */
  readonly retryAt?: number;
  /** Process id of a plugin in a process of its own. */
  readonly pid?: number;
  /** Bytes of heap and share of one core, for plugins outside the main thread. */
  readonly heap?: number;
  readonly cpu?: number;
}

/** A generation that every touched plugin has prepared. Exactly one of `commit` and `abort` is called, once. */
export interface PreparedGeneration {
  /** Synchronous; cannot fail. Plugins swap in the order of their references. */
  commit(): void;
  abort(): Promise<void>;
  /** Drops the way back: plugins release what they kept, and unused addresses close. */
  release(): Promise<void>;
}

export type PrepareOutcome =
  | {
      readonly ok: true;
      readonly prepared: PreparedGeneration;
      readonly diagnostics: readonly Diagnostic[];
    }
  /** Everything prepared has been aborted already. */
  | { readonly ok: false; readonly reason: string; readonly diagnostics: readonly Diagnostic[] };

export interface PluginHost {
  readonly catalog: PluginCatalog;
  /** The machine, as loads of the configuration check it. */
  readonly probe?: HostProbe;
  /** Resolves secrets, starts plugins that are needed now, and asks every touched one to prepare. */
  prepare(
    next: Program,
    plan: Plan,
    generation: number,
    signal: AbortSignal,
  ): Promise<PrepareOutcome>;
  status(): readonly PluginStatus[];
  /** Fresh answers, with deadlines. */
  health(): Promise<ReadonlyMap<string, Health>>;
  panels(): Promise<ReadonlyArray<{ readonly plugin: string; readonly panels: readonly Panel[] }>>;
  restart(id: string): Promise<void>;
  /** Lifts a quarantine and starts the plugin again. */
  release(id: string): Promise<void>;
  /** Resolves when every plugin has stopped or `signal` has fired and the rest was cut off. */
  stop(signal: AbortSignal): Promise<void>;
}
