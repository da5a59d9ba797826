/** What may run and what runs. Types only. */

import { type Diagnostic } from "../../grammar/diagnostic.js";
import { type Loaded, type Plan, type Program } from "../config/program.js";
import { type PreparedGeneration } from "../host/contract.js";
import { type Generation, type Trigger } from "./contract.js";
import { isSameCode, type PluginCode } from "./load-with-code.js";
import { type Snapshot } from "./snapshot.js";

/** A configuration that is to run. */
export interface Candidate {
  readonly loaded: Loaded;
  readonly code: PluginCode;
  readonly snapshot: Snapshot;
  /** What identifies its texts where they come to no program. */
  readonly hash: string;
  readonly trigger: Trigger;
  /** When the attempt began, in milliseconds since the epoch. */
  readonly began: number;
  /** Why it is not what is on disk, in one sentence. Absent when it is. */
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
  /** Ran before and can come back; nothing once probation is over. */
  previous: ActiveGeneration | undefined;
  readonly probation: AbortController;
}

export type GenerationAttempt = Omit<Generation, "state" | "duration" | "git"> & {
  /** Nothing waits for git before a generation has to be told about. */
  readonly git: Promise<Generation["git"]>;
};

/** The attempt as it stands now. */
export function finishedAttempt(
  { git: _later, ...attempt }: GenerationAttempt,
  state: Generation["state"],
  now: number,
): Generation {
  return { ...attempt, state, duration: now - attempt.at };
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

/** Whether nothing has to be done to get from what runs to the next program: the text moved at most. */
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

/** What the `plugin` blocks say, wherever they stand. */
const declared = ({ declarations }: Program): string =>
  JSON.stringify(
    declarations
      .map(({ name, source, version, isolation }) => [name, source, version, isolation])
      .sort(),
  );
