/** Ends runs: what follows them is queued, then their end is recorded. */
import type { LeftRun, Run, RunResult } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { Chain, EndOfRun } from "./chain.js";
import { type Detail, detailOf } from "./invocation.js";
import { endedResume, type ResumeState } from "./resume-state.js";

type NamedBlock = Pick<CommandBlock, "kind" | "key" | "label">;

interface Ending {
  readonly end: EndOfRun;
  /** What the command wrote. */
  readonly output: Uint8Array;
  readonly detail: Detail;
  /** Whether an earlier daemon may have queued what follows. */
  readonly isResumed: boolean;
}

/** Leaves the end to the next daemon if this one ends before what follows is queued. @throws if neither can be recorded */
export async function endRun(
  run: Run,
  { kind, key: subject, label: name = "" }: NamedBlock,
  { end, output, detail, isResumed }: Ending,
  chain: Chain,
): Promise<void> {
  const { state, exitCode, reason } = end;
  const about = { id: run.id, kind, name, subject };
  if (await chain.ended({ ...about, state, exitCode, reason, output, detail, isResumed }))
    return run.finish(resultOf(end));
  await run.queued(endedResume(end));
  await run.leave();
}

/** Ends a run that the daemon's death interrupted, or whose end an earlier daemon left. */
export async function endLeft(
  run: Run,
  { record, resume }: LeftRun,
  block: NamedBlock,
  chain: Chain,
): Promise<void> {
  const { end = await endOfInterrupted(run, block, chain) } = resume as ResumeState;
  const output = Buffer.from(record.output.text);
  await endRun(run, block, { end, output, detail: detailOf(record), isResumed: true }, chain);
}

async function endOfInterrupted(run: Run, { key }: NamedBlock, chain: Chain): Promise<EndOfRun> {
  const known = await chain.recordedEnd(run.id, key);
  if (known === "succeeded") return { state: known };
  const state = known === undefined || known === "skipped" || known === "missed" ? "failed" : known;
  return { state, reason: "The daemon died before the command's end was recorded." };
}

/** For its record. */
export const resultOf = ({ state, exitCode, signal, reason }: EndOfRun): RunResult => ({
  state: state === "skipped" || state === "missed" ? "cancelled" : state,
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(signal === undefined ? {} : { signal }),
  ...(reason === undefined ? {} : { reason }),
});
