/** Starts runs of blocks without a request, and records those that could not start. */
import type { PluginContext } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import { type CommandScope, commandOf } from "../decide/command.js";
import { detailText, type Refusal } from "../decide/refusal.js";
import type { Chain, EndedRun } from "../runs/chain.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { type Detail, newInvocation } from "../runs/invocation.js";
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
  readonly reason: string;
  /** How it ended for what follows it. */
  readonly end: Extract<EndedRun["state"], "failed" | "skipped" | "missed">;
}

/** Records a run that could not start, so that what follows its block starts. Returns its id. @throws if it cannot be recorded */
export async function recordUnstarted(
  { runs, chain }: { readonly runs: PluginContext["runs"]; readonly chain: Chain },
  { kind, key: subject, label: name = "" }: Pick<CommandBlock, "kind" | "key" | "label">,
  { trigger, detail, reason, end }: UnstartedRun,
): Promise<string> {
  const run = await runs.start({ kind, subject, state: "queued", trigger, detail });
  await chain.ended({
    id: run.id,
    kind,
    name,
    subject,
    state: end,
    reason,
    exitCode: undefined,
    output: new Uint8Array(),
    detail,
    isResumed: false,
  });
  await run.finish({ state: end === "failed" ? "failed" : "cancelled", reason });
  return run.id;
}
