/** What the rest of the daemon knows of reloading: ask for it, read its history. Types only. */
import type { Diagnostic, Source } from "../../grammar/diagnostic.js";
import type { Plan, Program } from "../config/program.js";

/** Why an attempt was made. */
export type Trigger = "boot" | "edit" | "request" | "signal" | "rollback" | "source";

type GenerationState =
  /** Being loaded, planned or prepared. */
  | "attempting"
  /** Nothing changed: the disk says what runs already. Keeps no number. */
  | "unchanged"
  /** Refused by the pipeline or by a plugin; the one before runs on. */
  | "rejected"
  /** Running, and the one before can still come back. */
  | "probation"
  /** Running. */
  | "committed"
  /** Was running, went unhealthy in probation, the one before was committed again. */
  | "rolled_back"
  /** Was running until another one took over. */
  | "superseded";

/** One attempt to change what runs. */
export interface Generation {
  readonly number: number;
  readonly state: GenerationState;
  readonly trigger: Trigger;
  readonly sourceHash: string;
  /** The configuration's git commit and whether the work tree differs from it; absent outside git. */
  readonly git?: { readonly commit: string; readonly dirty: boolean };
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds from the start of the attempt to its commit or refusal. */
  readonly duration: number;
  readonly summary?: Plan["summary"];
  readonly plan?: Plan;
  readonly diagnostics: readonly Diagnostic[];
  /** Why it was rejected or rolled back, in one sentence. */
  readonly reason?: string;
}

export interface ReloadOutcome {
  readonly generation: Generation;
  /** For rendering the diagnostics. */
  readonly sources: ReadonlyMap<string, Source>;
}

export interface Reloader {
  /** The generation that runs; `undefined` before the first commit. */
  readonly current: Generation | undefined;
  readonly program: Program | undefined;
  /** The configuration that runs is not the one on disk: last-good boot, or a rejected edit. */
  readonly degraded:
    | {
        readonly reason: string;
        /** Since when, in milliseconds since the epoch. */
        readonly since: number;
      }
    | undefined;
  /** Newest first. */
  history(limit?: number): Promise<readonly Generation[]>;
  /** The texts of an earlier generation, for rendering its diagnostics. Empty when they are no longer kept. */
  sources(generation: number): Promise<ReadonlyMap<string, Source>>;
  /** Reads, plans and applies now, whatever the watcher thinks. Attempts never overlap. */
  reload(trigger: Trigger): Promise<ReloadOutcome>;
  /** Everything up to the plan, with no effect. */
  plan(): Promise<{
    readonly plan: Plan | undefined;
    readonly diagnostics: readonly Diagnostic[];
    readonly sources: ReadonlyMap<string, Source>;
  }>;
  /**
   * Commits an earlier generation's configuration again. It holds until the next edit.
   * @throws ReeveError when there is no such generation, it never ran, or its texts are no longer kept.
   */
  rollback(generation: number): Promise<ReloadOutcome>;
}

export interface StartOutcome extends ReloadOutcome {
  /** The refused attempt of the configuration on disk, if an earlier one runs instead. */
  readonly refused?: ReloadOutcome;
}

export type StartableReloader = Reloader & {
  /**
   * Starts the configuration on disk, or the last good one if that is refused, and follows edits. @throws
   * InvalidConfiguration if neither can run; leaves nothing behind.
   */
  start(): Promise<StartOutcome>;
  /** Stops following edits and abandons the current attempt. Plugins are left to the host. */
  stop(): Promise<void>;
};
