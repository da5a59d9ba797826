/** What became of a wish to change what runs. */
import type { Problem, ReloadResult } from "../../daemon/http/control/api.js";
import type { Control } from "../control/client.js";
import { renderFindings } from "../control/findings.js";
import { ControlError, isConfigurationProblem } from "../control/problem.js";
import { Exit, type ExitCode } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { stateWord } from "./layout.js";
import { changesAnything, renderPlan } from "./plan.js";
import { oneLine } from "./text.js";
import { duration } from "./units.js";

/** The plan and the generation that runs now; warnings beside it. Returns how the command ends. */
export function showResult(result: ReloadResult, json: boolean, output: Output): ExitCode {
  const { generation } = result;
  const failed = generation.state === "rolled_back" || generation.state === "rejected";
  if (json) output.json(result);
  else showText(result, output);
  return failed ? Exit.configuration : Exit.ok;
}

function showText({ generation, ...findings }: ReloadResult, { out, err }: Output): void {
  const { number, state, plan, duration: took, reason } = generation;
  if (findings.diagnostics.length > 0) {
    err.write(renderFindings(findings, { colour: err.colour }));
  }
  if (plan && changesAnything(plan)) {
    out.write(renderPlan(plan, { paint: out.paint.bind(out) }));
  }
  if (state === "rolled_back" || state === "rejected") {
    const why = reason === undefined ? "" : `: ${oneLine(reason)}`;
    err.line(
      `${err.paint(["bold", "fail"], "reeve:")} ${stateWord(state)} generation ${number}${why}`,
    );
  } else if (state === "unchanged") out.line("Nothing changed: what is on disk runs already.");
  else {
    const watched = state === "probation" ? ", on probation" : "";
    out.line(`Generation ${number} runs${watched} (${duration(took)}).`);
  }
}

/** Says why the configuration was refused, with carets. Anything else that was thrown is thrown on. */
export async function showRefusal(
  control: Control,
  thrown: unknown,
  json: boolean,
  output: Output,
): Promise<ExitCode> {
  if (!(thrown instanceof ControlError) || !isConfigurationProblem(thrown.problem)) throw thrown;
  if (json) {
    output.json(thrown.problem satisfies Problem);
    return Exit.configuration;
  }
  const { err } = output;
  const { problem } = thrown;
  if (problem.diagnostics.length > 0) {
    const footer = await runsOn(control);
    err.write(renderFindings(problem, { colour: err.colour, footer }));
  }
  const isExplained = problem.diagnostics.some(({ severity }) => severity === "error");
  if (!isExplained) throw thrown;
  return Exit.configuration;
}

async function runsOn(control: Control): Promise<string> {
  const running = await control.status().then(
    ({ generation }) => generation?.number,
    () => undefined,
  );
  return running === undefined ? "What ran before runs on." : `Generation ${running} runs on.`;
}
