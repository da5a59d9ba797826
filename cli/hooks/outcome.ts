/** What became of a request that was started by hand. */
import type { TriggerOutcome } from "../../plugins/hooks/offline.js";
import type { Control } from "../control/client.js";
import { Exit, type ExitCode } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { followRun } from "../print/follow-runs.js";
import { oneLine } from "../print/text.js";
import { explainedLines, isAccepted } from "./show.js";

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
