/** `"text ${hole} text"`. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { valueText } from "../functions/text-of.js";
import { describeType } from "../types/describe.js";
import { fits, STRING, TEXTUAL } from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { Residual, type Value } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded, isOpen } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { evaluateStrict } from "./strict.js";

export function evaluateTemplate(
  node: tree.TemplateLiteral,
  context: EvaluationContext,
): Evaluated {
  const parts: Part[] = [];
  let noValue: NoValue | undefined;
  for (const part of node.parts) {
    const outcome = part.kind === "text" ? part.value : interpolation(part.expression, context);
    if (!(outcome instanceof NoValue)) parts.push([outcome, part]);
    else if (noValue !== BROKEN) noValue = outcome === PENDING ? PENDING : BROKEN;
  }
  if (noValue) return noValue;
  const values = parts.map(([value]) => value);
  if (!values.some((value) => isOpen(value))) {
    return bounded(values.join(""), node, context);
  }
  const nodes = merged(parts).map(([value, source]) => nodeOf(value, source, context));
  return residual(node, { op: "template", parts: nodes }, STRING, values, context);
}

type Part = readonly [value: Value, source: tree.Span];

/** The text of a known value, or the residual that will give one. */
function interpolation(expression: tree.ExpressionNode, context: EvaluationContext): Evaluated {
  const outcome = evaluateStrict(expression, context);
  if (outcome instanceof NoValue) return outcome;
  const location = locationOf(expression, context);
  if (outcome instanceof Residual) {
    if (fits(outcome.type, TEXTUAL) !== "never") return outcome;
    context.report(
      createDiagnostic("E319", location, `${describeType(outcome.type)} cannot stand in a string`),
    );
    return BROKEN;
  }
  try {
    return valueText(outcome);
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    context.report(createDiagnostic(thrown.code, location, thrown.message, { help: thrown.help }));
    return BROKEN;
  }
}

/** Neighbouring texts become one, so that folding leaves the same parts however the text was cut. */
function merged(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const [value, source] of parts) {
    const [last, at] = result.at(-1) ?? [];
    if (typeof value === "string" && typeof last === "string" && at) {
      result[result.length - 1] = [last + value, { start: at.start, end: source.end }];
    } else if (value !== "") result.push([value, source]);
  }
  return result;
}
