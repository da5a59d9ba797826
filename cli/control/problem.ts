/** What the daemon refuses, as the end of a command. */
import type { ConfigurationProblem, Problem } from "../../daemon/http/control/api.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import { oneLine } from "../print/text.js";

/** An answer of the daemon that says no, with all that it says. */
export class ControlError extends Failure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(exitOf(problem), sentenceOf(problem), {
      help: problem.help === undefined ? undefined : oneLine(problem.help),
    });
    this.problem = problem;
  }
}

export function isProblem(value: unknown): value is Problem {
  const { type, status, detail, title } = (value ?? {}) as Partial<Problem>;
  return (
    typeof type === "string" &&
    typeof status === "number" &&
    (typeof detail === "string" || typeof title === "string")
  );
}

export function isConfigurationProblem(problem: Problem): problem is ConfigurationProblem {
  return problem.code === "configuration_rejected" && "diagnostics" in problem;
}

function exitOf({ code, status }: Problem): ExitCode {
  if (code === "configuration_rejected") return Exit.configuration;
  if (status === 400 || status === 422) return Exit.usage;
  return status === 404 || status === 409 ? Exit.findings : Exit.unavailable;
}

/** Details end in a full stop and begin with a capital; what a command says does not. */
function sentenceOf({ detail, title }: Partial<Problem>): string {
  return oneLine(detail ?? title ?? "the daemon refused").replace(/\.$/, "");
}
