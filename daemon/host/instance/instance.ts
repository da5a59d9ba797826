/** A plugin being alive, wherever its code runs. Every promise here may take for ever: deadlines are the caller's. */
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
  /** Asks the plugin to end; `dispose` has to follow. */
  stop(reason: StopReason, signal: AbortSignal): Promise<void>;
  health(): Promise<Health>;
  panels(): Promise<readonly Panel[]>;
  resolveSecret(reference: string, signal: AbortSignal): Promise<string>;
  /** Resolves with why, a sentence without its subject, when its code died without being asked. Never for code in the main thread. */
  readonly gone: Promise<string>;
  /** Resolves when its code can be reached at all. */
  ping(): Promise<void>;
  /** Ends code that hangs; `gone` tells. Code in the main thread cannot be ended. */
  terminate(): Promise<void>;
  readonly pid: number | undefined;
  usage(): Usage | undefined;
  /** From now on requests are told `why` instead of being answered. */
  suspend(why: string): void;
  /** Ends its code, whatever it does, and takes back all that it was given but its addresses. */
  dispose(): Promise<void>;
  /** Gives up its addresses. Whoever has taken them over is not disturbed. */
  releaseClaims(replaced: boolean): Promise<void>;
}
