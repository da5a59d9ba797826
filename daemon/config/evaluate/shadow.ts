/** No name hides another one. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { type Context, placeOf } from "./evaluation-run.js";

/** Whether a loop may call its variable so; complains if not. */
export function isFree(variable: tree.Name, context: Context): boolean {
  const { scope, locals } = context;
  const name = variable.text;
  const other =
    scope.variable(name)?.place ?? scope.unit.aliases.get(name)?.place ?? locals?.get(name)?.place;
  if (!other) return true;
  context.report(
    createDiagnostic("E206", placeOf(variable, context), `the name \`${name}\` is taken already`, {
      help: "choose another name: no name hides another one",
      related: [{ place: other, message: "it means this" }],
    }),
  );
  return false;
}
