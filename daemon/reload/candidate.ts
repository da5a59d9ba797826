/** Candidates, attempts and the running generation. */

import { type Diagnostic } from "../../grammar/diagnostic.js";
import { type Loaded, type Plan, type Program } from "../config/program.js";
import { type PreparedGeneration } from "../host/contract.js";
import { type Timer } from "../services/clock.js";
import { type Generation, type Trigger } from "./contract.js";
import { isSameCode, type PluginCode } from "./load-with-code.js";
import { type Snapshot } from "./snapshot.js";

/** A configuration to apply. */
export interface Candidate {
  readonly loaded: Loaded;
  readonly code: PluginCode;
  readonly snapshot: Snapshot;
  /** Identifies its texts if they have no program. */
  readonly hash: string;
  readonly trigger: Trigger;
  /** Of the attempt. */
  readonly began: Timer;
  /** Why it differs from the disk, in one sentence. Absent if it does not. */
  readonly instead?: string;
}

/** What runs. */
export interface ActiveGeneration {
  generation: Generation;
  program: Program;
  code: PluginCode;
  snapshot: Snapshot;
  readonly prepared: PreparedGeneration;
  isReleased: boolean;
  /** The previous generation, for rollback; absent once probation is over. */
  previous: ActiveGeneration | undefined;
  readonly probation: AbortController;
}

export type GenerationAttempt = Omit<Generation, "state" | "duration" | "git"> & {
  /** The commit is awaited only when the generation is reported. */
  readonly git: Promise<Generation["git"]>;
  readonly began: Timer;
};

/** The generation of an attempt, with its state and duration. */
export function finishedAttempt(
  { git: _later, began, ...attempt }: GenerationAttempt,
  state: Generation["state"],
): Generation {
  return { ...attempt, state, duration: began.elapsed() };
}

export async function withCommit(
  generation: Generation,
  gitState: Promise<Generation["git"]>,
): Promise<Generation> {
  const git = await gitState;
  return git ? { ...generation, git } : generation;
}

/** `1 error`, `3 errors`. */
export function countErrors(diagnostics: readonly Diagnostic[]): string {
  const count = diagnostics.filter(({ severity }) => severity === "error").length;
  return `${count} error${count === 1 ? "" : "s"}`;
}

/** Whether nothing changes between the running and the next program, apart from moved text. */
export function isEmptyPlan(
  plan: Plan,
  running: { readonly program: Program; readonly code: PluginCode },
  next: Program,
  code: PluginCode,
): boolean {
  return (
    plan.settings === undefined &&
    plan.changes.every(({ action }) => action === "unchanged") &&
    declared(running.program) === declared(next) &&
    isSameCode(running.code, code)
  );
}

/** The content of the `plugin` blocks, wherever they are written. */
const declared = ({ declarations }: Program): string =>
  JSON.stringify(
    declarations
      .map(({ name, source, version, isolation }) => [name, source, version, isolation])
      .sort(),
  );
