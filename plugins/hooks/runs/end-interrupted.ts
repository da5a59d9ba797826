/** Ends a run that the daemon's death interrupted, so that what follows it is queued. */
import type { Run, RunRecord } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { Chain } from "./chain.js";
import { detailOf } from "./invocation.js";

export async function endInterrupted(
  run: Run,
  record: RunRecord,
  { kind, key: subject, label: name = "" }: CommandBlock,
  chain: Chain,
): Promise<void> {
  const { output } = record;
  const known = await chain.recordedEnd(run.id, subject);
  const state = known === undefined || known === "skipped" || known === "missed" ? "failed" : known;
  const reason = "The daemon died before the command's end was recorded.";
  await chain.ended({
    id: run.id,
    kind,
    name,
    subject,
    state,
    reason,
    exitCode: undefined,
    output: Buffer.from(output.text),
    detail: detailOf(record),
    isResumed: true,
  });
  await run.finish(state === "succeeded" ? { state } : { state, reason });
}
