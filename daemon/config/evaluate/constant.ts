/** Expressions outside of any file, in the descriptions of plugins: defaults, examples, exports. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { parseExpression } from "../../../grammar/parse.js";
import type * as tree from "../../../grammar/tree.js";
import { Inputs } from "../inputs.js";
import type { Value } from "../values/value.js";
import { Dependencies } from "./dependencies.js";
import { EvaluationRun } from "./evaluation-run.js";
import { evaluate } from "./expression.js";
import { NoValue } from "./outcome.js";
import { SourceUnit } from "./scope.js";
import { strict } from "./strict.js";

const parsed = new Map<string, ReturnType<typeof parseExpression>>();

/** A text as an expression, parsed once. */
export function expressionOf(text: string): ReturnType<typeof parseExpression> {
  const known = parsed.get(text);
  if (known) return known;
  const made = parseExpression({ path: OUTSIDE, text });
  parsed.set(text, made);
  return made;
}

/** The file name in diagnostics of such expressions; never shown to users. */
const OUTSIDE = "<description>";

/** A unit that holds such an expression, so that it has a place to be evaluated in. */
export function unitFor(text: string): SourceUnit {
  const file: tree.File = { kind: "file", start: 0, end: text.length, items: [] };
  return new SourceUnit("/", OUTSIDE, text, file);
}

/** The value of a constant expression, or why it has none. */
export function constantValue(text: string): Value | { readonly faults: readonly Diagnostic[] } {
  const { expression, diagnostics } = expressionOf(text);
  if (diagnostics.length > 0) return { faults: diagnostics };
  const faults: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => faults.push(diagnostic);
  const world = new EvaluationRun({ inputs: new Inputs(new Map()), report, roots: [], evaluate });
  world.bound = true;
  const context = { world, scope: unitFor(text).scope, uses: new Dependencies(), report };
  const outcome = strict(evaluate(expression, context), context);
  return outcome instanceof NoValue ? { faults } : outcome;
}
