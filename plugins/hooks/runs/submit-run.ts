/** Records an invocation as a run, executes it and records its end. */
import type { Run } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { HookCommand } from "../decide/command.js";
import type { EndOfRun } from "./chain.js";
import { endRun } from "./end-run.js";
import { type AdmittedRun, errorMessage, executeRun, type RunTools } from "./execute-run.js";
import type { Finished } from "./finished.js";
import { serializeResume } from "./resume-state.js";
import { survivesInterruption } from "./retry.js";

/** A recorded run: it survives the daemon. */
export interface SubmittedRun {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

/** Resolves when the run is recorded. @throws if that fails */
export async function submitRun(
  { invocation, slot, cancel }: Pick<AdmittedRun, "invocation" | "slot" | "cancel">,
  tools: RunTools,
): Promise<SubmittedRun> {
  const { block, command, trigger, detail, evidence, tried } = invocation;
  // Queued until its command begins: a run that had not begun when the daemon died can begin later.
  const isQueued = slot.waited || !command.awaited;
  const isKept = isQueued || survivesInterruption(block, 1) || tools.chain.follows(block.key);
  const resume = isKept ? serializeResume(command, tried) : undefined;
  const run = await tools.services.runs.start({
    kind: block.kind,
    subject: block.key,
    state: isQueued ? "queued" : "running",
    durability: durabilityOf(block, command),
    trigger,
    detail,
    ...(evidence && { request: evidence.trigger }),
    ...(resume && { resume }),
  });
  const isResumable = resume !== undefined;
  const finished = completeRun(run, { invocation, slot, cancel, isQueued, isResumable }, tools);
  return { id: run.id, finished };
}

/** A sender that waits for the result learns of a power cut by itself. */
const durabilityOf = ({ values }: CommandBlock, { awaited }: HookCommand): "disk" | "memory" =>
  values.durability ?? (awaited && !values.retry ? "memory" : "disk");

/** Executes a recorded run and records its end. Never rejects. */
export async function completeRun(
  run: Run,
  admitted: AdmittedRun,
  tools: RunTools,
): Promise<Finished> {
  const finished = await executeRun(run, admitted, tools);
  const { invocation, slot } = admitted;
  slot.leave();
  try {
    if (finished.left) await run.leave();
    else {
      const { block, detail, isResumed } = invocation;
      const { state, exitCode, signal, reason, output } = finished;
      const end = { state, exitCode, signal, reason } satisfies Record<keyof EndOfRun, unknown>;
      await endRun(run, block, { end, output, detail, isResumed }, tools.chain);
    }
  } catch (thrown) {
    tools.services.log.error("Cannot record the end of a run", {
      run: run.id,
      hook: invocation.block.label,
      reason: errorMessage(thrown),
    });
  }
  return finished;
}
