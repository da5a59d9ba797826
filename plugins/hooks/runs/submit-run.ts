/** Records an accepted request as a run, executes it and records its end. */
import type { Run } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { HookCommand } from "../decide/command.js";
import type { RunEvidence } from "../evidence/run-evidence.js";
import type { EndedRun } from "./chain.js";
import { errorMessage, executeRun, type QueuedRun, type RunServices } from "./execute-run.js";
import type { Finished } from "./finished.js";
import { serializeResume } from "./resume-state.js";
import { survivesInterruption } from "./retry.js";

/** A recorded run: it survives the daemon. */
export interface SubmittedRun {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

interface NewOrder extends Omit<QueuedRun, "detail" | "parcel" | "queued"> {
  readonly account?: RunEvidence | undefined;
}

/** Resolves when the run is recorded. @throws if that fails; the slot is released */
export async function submitRun(
  { account, ...order }: NewOrder,
  services: RunServices,
): Promise<SubmittedRun> {
  const { hook, command, slot, trigger } = order;
  const detail = { argv: shownArgv(command.argv, account?.hide), ...command.detail };
  // Queued until its command begins: a run that had not begun when the daemon died can begin later.
  const queued = slot.waited || !command.awaited;
  const isKept = queued || survivesInterruption(hook, 1) || order.chain.follows(hook.key);
  const resume = isKept ? serializeResume(command, 0) : undefined;
  let run: Run;
  try {
    run = await services.runs.start({
      kind: hook.kind,
      subject: hook.key,
      state: queued ? "queued" : "running",
      durability: durabilityOf(hook, command),
      trigger,
      detail,
      ...(account && { request: account.trigger }),
      ...(resume === undefined ? {} : { resume: resume }),
    });
  } catch (thrown) {
    slot.leave();
    throw thrown;
  }
  return {
    id: run.id,
    finished: completeRun(run, { ...order, detail, resume, queued }, services),
  };
}

/** A sender that waits for the result learns of a power cut by itself. */
const durabilityOf = ({ values }: CommandBlock, { awaited }: HookCommand): "disk" | "memory" =>
  values.durability ?? (awaited && !values.retry ? "memory" : "disk");

const SHOWN_WORDS = 32;
const SHOWN_LENGTH = 256;

/** Redacted and shortened for the record. */
export const shownArgv = (
  argv: readonly string[],
  hide: (text: string) => string = (text) => text,
): readonly string[] => argv.slice(0, SHOWN_WORDS).map((word) => shortened(hide(word)));

const shortened = (word: string): string =>
  word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH)}…` : word;

/** Executes a recorded run and records its end. Never rejects. */
export async function completeRun(
  run: Run,
  order: QueuedRun,
  services: RunServices,
): Promise<Finished> {
  const finished = await executeRun(run, order, services);
  order.slot.leave();
  try {
    if (finished.left) await run.leave();
    else {
      await order.chain.ended(endedRun(run, order, finished));
      await record(run, finished);
    }
  } catch (thrown) {
    services.log.error("Cannot record the end of a run", {
      run: run.id,
      hook: order.hook.label,
      reason: errorMessage(thrown),
    });
  }
  return finished;
}

const endedRun = (
  { id }: Run,
  { hook, detail, isResumed = false }: QueuedRun,
  { state, exitCode, output, reason }: Finished,
): EndedRun => ({
  ...{ id, kind: hook.kind, name: hook.label ?? "", subject: hook.key, detail, isResumed },
  ...{ state, exitCode, output, reason },
});

const record = (run: Run, { state, exitCode, signal, reason }: Finished): Promise<void> =>
  run.finish({
    state,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(reason === undefined ? {} : { reason }),
  });
