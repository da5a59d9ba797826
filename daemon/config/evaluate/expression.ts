/**
 * Evaluates expressions to values, or to residual expressions where they depend on run-time names or secrets. Never
 * throws for user errors: it reports them to the context and returns a `NoValue`.
 */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn } from "../diagnose.js";
import { compilePattern, LinearPattern } from "../values/pattern.js";
import { Quantity } from "../values/quantity.js";
import { evaluateCall } from "./call.js";
import { evaluateList, evaluateObject } from "./collections.js";
import { evaluateComprehension } from "./comprehension.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { evaluateBinary, evaluateConditional, evaluateUnary } from "./operators.js";
import { BROKEN, type Evaluated } from "./outcome.js";
import { evaluatePath } from "./path.js";
import { evaluateTemplate } from "./template.js";

export function evaluate(node: tree.ExpressionNode, context: EvaluationContext): Evaluated {
  switch (node.kind) {
    case "null":
      return null;
    case "boolean":
    case "number":
    case "string":
      return node.value;
    case "duration":
      return new Quantity("duration", node.milliseconds);
    case "size":
      return new Quantity("size", node.bytes);
    case "percent":
      return new Quantity("percent", node.ratio);
    case "regex":
      return evaluateRegex(node, context);
    case "bad_expression":
      return BROKEN;
    default:
      context.world.step(1, () => locationOf(node, context));
      return context.world.deeper(node, context, () => evaluateCompound(node, context));
  }
}

type Literal = Extract<
  tree.ExpressionNode,
  {
    kind:
      | "null"
      | "boolean"
      | "number"
      | "string"
      | "duration"
      | "size"
      | "percent"
      | "regex"
      | "bad_expression";
  }
>;

function evaluateCompound(
  node: Exclude<tree.ExpressionNode, Literal>,
  context: EvaluationContext,
): Evaluated {
  switch (node.kind) {
    case "template":
      return evaluateTemplate(node, context);
    case "name":
    case "member":
    case "index":
      return evaluatePath(node, context);
    case "call":
      return evaluateCall(node, context);
    case "unary":
      return evaluateUnary(node, context);
    case "binary":
      return evaluateBinary(node, context);
    case "conditional":
      return evaluateConditional(node, context);
    case "list":
      return evaluateList(node, context);
    case "comprehension":
      return evaluateComprehension(node, context);
    case "object":
      return evaluateObject(node, context);
  }
}

function evaluateRegex(node: tree.RegexLiteral, context: EvaluationContext): Evaluated {
  const pattern = compilePattern(node.source, node.flags);
  if (pattern instanceof LinearPattern) return pattern;
  const span = { start: node.sourceStart + pattern.start, end: node.sourceStart + pattern.end };
  context.report(
    createDiagnostic(
      "E305",
      locationIn(context.scope.unit.name, span),
      "this regular expression cannot be used",
      { label: pattern.message },
    ),
  );
  return BROKEN;
}
