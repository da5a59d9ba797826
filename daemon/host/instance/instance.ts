/** A running plugin, in any isolation. Calls have no deadline of their own; the caller sets it. */
import type { PluginReport, ProgramBlock } from "../../config/program.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { ChangeAction, Health, StopReason } from "../../plugin-api/plugin.js";

/** One plugin's part of a generation. */
export interface InstanceConfiguration {
  readonly generation: number;
  /** Secrets resolved, in the order of the files. */
  readonly blocks: readonly ProgramBlock[];
  readonly changes: ReadonlyMap<string, ChangeAction>;
}

/** What an instance made of an attempt. Exactly one of `commit` and `abort` is called. */
export interface Preparation {
  readonly reports: readonly PluginReport[];
  /** Synchronous. @throws what the plugin throws, which it must not. */
  commit(): void;
  abort(): Promise<void>;
  release(): Promise<void>;
}

export interface Usage {
  /** Bytes of JavaScript heap. */
  readonly heap: number;
  /** Share of one core since the last answer. */
  readonly cpu: number;
}

export interface Instance {
  /**
   * Rejects with what the plugin threw. When `signal` is aborted first, whatever the plugin still prepares is thrown
   * away when it is done.
   */
  prepare(part: InstanceConfiguration, signal: AbortSignal): Promise<Preparation>;
  /** Calls the plugin's `stop`; `dispose` must follow. */
  stop(reason: StopReason, signal: AbortSignal): Promise<void>;
  health(): Promise<Health>;
  panels(): Promise<readonly Panel[]>;
  resolveSecret(reference: string, signal: AbortSignal): Promise<string>;
  /**
   * Resolves when the plugin's worker or process dies unexpectedly, or its code in the main thread does not catch an error,
   * with the reason as a sentence without subject.
   */
  readonly gone: Promise<string>;
  /** Resolves when its code can be reached at all. */
  ping(): Promise<void>;
  /** Kills code that hangs, then `gone` resolves. Has no effect in the main thread. */
  terminate(): Promise<void>;
  readonly pid: number | undefined;
  usage(): Usage | undefined;
  /** Answers every request with 503 and `why` from now on. */
  suspend(why: string): void;
  /** Ends its code and disposes its context, except the addresses. */
  dispose(): Promise<void>;
  /** Releases its addresses, except those that another instance took over. */
  releaseClaims(replaced: boolean): Promise<void>;
}
