/** What became of a request that was started by hand. */
import { type Control, Exit, type ExitCode, followRun, type Output, oneLine } from "reeve/cli";
import type { TriggerOutcome } from "../offline.js";
import { explainedLines, isAccepted } from "./text.js";

export interface OutcomeOptions {
  readonly json: boolean;
  /** Go on with the run until it is over. */
  readonly follow: boolean;
  readonly output: Output;
  readonly signal: AbortSignal;
}

export async function showOutcome(
  control: Control,
  outcome: TriggerOutcome,
  { json, follow, output, signal }: OutcomeOptions,
): Promise<ExitCode> {
  if (isAccepted(outcome) && follow) {
    const run = await control.run(outcome.run);
    await followRun(control, run, { json, output, signal });
    const { state } = await control.run(outcome.run);
    return state === "succeeded" ? Exit.ok : Exit.findings;
  }
  if (json) output.json(outcome);
  else if (isAccepted(outcome)) output.out.line(`run ${oneLine(outcome.run)}`);
  else for (const line of explainedLines(outcome, output.out)) output.out.line(line);
  return outcome.outcome === "refused" ? Exit.findings : Exit.ok;
}
