/** No name hides another one. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";

/** Whether a loop may call its variables so; complains if not. */
export function areFree(
  { key, variable }: { readonly key?: tree.Name; readonly variable: tree.Name },
  context: EvaluationContext,
): boolean {
  if (key?.text === variable.text) return taken(variable, locationOf(key, context), context);
  return (key === undefined || isFree(key, context)) && isFree(variable, context);
}

function isFree(variable: tree.Name, context: EvaluationContext): boolean {
  const { scope, locals } = context;
  const name = variable.text;
  const other =
    scope.variable(name)?.location ??
    scope.unit.aliases.get(name)?.location ??
    locals?.get(name)?.location;
  return other === undefined || taken(variable, other, context);
}

function taken(variable: tree.Name, other: SourceLocation, context: EvaluationContext): false {
  context.report(
    createDiagnostic(
      "E206",
      locationOf(variable, context),
      `the name \`${variable.text}\` is taken already`,
      {
        help: "choose another name: no name hides another one",
        related: [{ location: other, message: "it means this" }],
      },
    ),
  );
  return false;
}
