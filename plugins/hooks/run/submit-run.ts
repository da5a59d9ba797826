/** One accepted request: its record, its turn, its command, its end. */
import type { Run } from "reeve/plugin";
import type { RunEvidence } from "../history/run-evidence.js";
import { executeRun, type QueuedRun, type RunServices, sentence } from "./execute-run.js";
import type { Finished } from "./finished.js";
import { serializeResume } from "./resume-state.js";
import { survivesInterruption } from "./retry.js";

/** A run that is on record: it survives the daemon. */
export interface SubmittedRun {
  readonly id: string;
  /** Never rejects. */
  readonly finished: Promise<Finished>;
}

interface NewOrder extends Omit<QueuedRun, "detail" | "parcel" | "queued"> {
  /** What is kept of the request. */
  readonly account?: RunEvidence | undefined;
}

/** Resolves as soon as the run is on record. @throws when it cannot be recorded; the place is free again then. */
export async function submitRun(
  { account, ...order }: NewOrder,
  gifts: RunServices,
): Promise<SubmittedRun> {
  const { hook, command, place, trigger } = order;
  const detail = { argv: shownArgv(command.argv, account?.hide) };
  const parcel =
    place.waited || survivesInterruption(hook, 1) ? serializeResume(command, 0) : undefined;
  let run: Run;
  try {
    run = await gifts.runs.start({
      kind: "hook",
      subject: hook.key,
      state: place.waited ? "queued" : "running",
      trigger,
      detail,
      ...(account && { request: account.askedFor }),
      ...(parcel === undefined ? {} : { resume: parcel }),
    });
  } catch (thrown) {
    place.leave();
    throw thrown;
  }
  return {
    id: run.id,
    finished: finish(run, { ...order, detail, parcel, queued: place.waited }, gifts),
  };
}

const SHOWN_WORDS = 32;
const SHOWN_LENGTH = 256;

/** As it is kept with a run. */
export const shownArgv = (
  argv: readonly string[],
  hide: (text: string) => string = (text) => text,
): readonly string[] => argv.slice(0, SHOWN_WORDS).map((word) => shortened(hide(word)));

const shortened = (word: string): string =>
  word.length > SHOWN_LENGTH ? `${word.slice(0, SHOWN_LENGTH)}…` : word;

/** Carries a run out that is on record. Never rejects. */
export async function finish(run: Run, order: QueuedRun, gifts: RunServices): Promise<Finished> {
  const finished = await executeRun(run, order, gifts);
  order.place.leave();
  try {
    if (finished.left) await run.leave();
    else await record(run, finished);
  } catch (thrown) {
    gifts.log.error("the end of a run could not be recorded", {
      run: run.id,
      hook: order.hook.label,
      reason: sentence(thrown),
    });
  }
  return finished;
}

const record = (run: Run, { state, exitCode, signal, reason }: Finished): Promise<void> =>
  run.finish({
    state,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(reason === undefined ? {} : { reason }),
  });
