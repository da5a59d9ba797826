/** Starts runs of blocks without a request, and records those that could not start. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import { type CommandScope, commandOf } from "../decide/command.js";
import { detailText, type Refusal } from "../decide/refusal.js";
import type { Chain, EndOfRun } from "../runs/chain.js";
import { endRun } from "../runs/end-run.js";
import { errorMessage } from "../runs/execute-run.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { type Detail, newInvocation } from "../runs/invocation.js";
import { endedResume } from "../runs/resume-state.js";
import type { SubmittedRun } from "../runs/submit-run.js";

export interface Start {
  /** The `trigger` of the run's record: `by hand`. */
  readonly trigger: string;
  /** The values of the names that the command's expressions read. */
  readonly scope: CommandScope;
  /** For the run's record, beside its arguments. */
  readonly detail?: Detail;
  /** Whether secrets in the scope must not be stored; the run cannot be resumed. */
  readonly fleeting?: boolean;
}

/** Resolves when the run is recorded, or with the reason why there is none; never rejects. */
export async function start(
  runtime: HookRuntime<CommandBlock>,
  { trigger, scope, detail = {}, fleeting = false }: Start,
): Promise<SubmittedRun | Refusal> {
  const { block } = runtime;
  const command = commandOf(block, scope, new Uint8Array());
  if ("reason" in command) return command;
  return runtime.trigger(newInvocation(block, { ...command, fleeting }, trigger, { detail }));
}

/** The id of the run that a user started, or why there is none. */
export type ManualStart = { readonly run: string } | { readonly refused: string };

export const manualStart = (started: SubmittedRun | Refusal): ManualStart =>
  "reason" in started ? { refused: detailText(started.detail) } : { run: started.id };

export interface UnstartedRun {
  readonly trigger: string;
  readonly detail: Detail;
  readonly end: EndOfRun & {
    readonly state: "failed" | "skipped" | "missed";
    readonly reason: string;
  };
}

/** Records a run that could not start, so that what follows its block starts. Returns its id. @throws if its start cannot be recorded */
export async function recordUnstarted(
  { runs, log }: Pick<PluginContext, "runs" | "log">,
  chain: Chain,
  block: Pick<CommandBlock, "kind" | "key" | "label">,
  { trigger, detail, end }: UnstartedRun,
): Promise<string> {
  const { kind, key: subject } = block;
  // Its data lets the next daemon queue what follows if this one dies before.
  const resume = endedResume(end);
  const run = await runs.start({ kind, subject, state: "queued", trigger, detail, resume });
  const nothing = new Uint8Array();
  await endRun(run, block, { end, output: nothing, detail, isResumed: false }, chain).catch(
    (thrown: unknown) =>
      log.error("Cannot record the end of a run", { run: run.id, reason: errorMessage(thrown) }),
  );
  return run.id;
}
