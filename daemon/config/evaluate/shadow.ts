/** No name hides another one. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";

/** Whether a loop may call its variable so; complains if not. */
export function isFree(variable: tree.Name, context: EvaluationContext): boolean {
  const { scope, locals } = context;
  const name = variable.text;
  const other =
    scope.variable(name)?.location ??
    scope.unit.aliases.get(name)?.location ??
    locals?.get(name)?.location;
  if (!other) return true;
  context.report(
    createDiagnostic(
      "E206",
      locationOf(variable, context),
      `the name \`${name}\` is taken already`,
      {
        help: "choose another name: no name hides another one",
        related: [{ location: other, message: "it means this" }],
      },
    ),
  );
  return false;
}
