/** Operators, with everything folded that can be. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { operatorType } from "../expression/operator-types.js";
import { applyOperator, negate, type StrictOperator } from "../expression/operators.js";
import { describeType, describeValue } from "../types/describe.js";
import { BOOLEAN, fits, NUMBER, type Type, unionOf } from "../types/type.js";
import { typeOf } from "../types/value-type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { isList, Residual, type Value } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded, isOpen, weightOf } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { evaluateStrict } from "./strict.js";

export function evaluateUnary(node: tree.Unary, context: EvaluationContext): Evaluated {
  const operand = evaluateStrict(node.operand, context);
  if (operand instanceof NoValue) return operand;
  if (node.operator === "!") {
    const test = condition(operand, node.operand, context);
    if (test instanceof NoValue) return test;
    return typeof test === "boolean" ? !test : unary(node, test, BOOLEAN, context);
  }
  if (!(operand instanceof Residual)) return folded(node, context, () => negate(operand));
  const type = operatorType("-", operand.type, operand.type);
  return type ? unary(node, operand, type, context) : wrongOperand(node, operand, context);
}

function unary(
  node: tree.Unary,
  operand: Residual,
  type: Type,
  context: EvaluationContext,
): Evaluated {
  const inner = nodeOf(operand, node.operand, context);
  return residual(
    node,
    { op: "unary", operator: node.operator, operand: inner },
    type,
    [operand],
    context,
  );
}

function wrongOperand(node: tree.Unary, operand: Value, context: EvaluationContext): NoValue {
  context.report(
    createDiagnostic(
      "E307",
      locationOf(node, context),
      `\`${node.operator}\` does not go with ${describeValue(operand)}`,
    ),
  );
  return BROKEN;
}

/** A truth value, or a residual that will be one. */
function condition(
  value: Value,
  node: tree.ExpressionNode,
  context: EvaluationContext,
): boolean | Residual | NoValue {
  if (typeof value === "boolean") return value;
  if (value instanceof Residual && fits(value.type, BOOLEAN) !== "never") return value;
  context.report(
    createDiagnostic(
      "E314",
      locationOf(node, context),
      `a condition must be true or false, not ${describeValue(value)}`,
    ),
  );
  return BROKEN;
}

export function evaluateConditional(node: tree.Conditional, context: EvaluationContext): Evaluated {
  const tested = evaluateStrict(node.test, context);
  if (tested instanceof NoValue) return tested;
  const test = condition(tested, node.test, context);
  if (test instanceof NoValue) return test;
  if (typeof test === "boolean") {
    return context.world.evaluate(test ? node.consequent : node.alternate, context);
  }
  const consequent = evaluateStrict(node.consequent, context);
  const alternate = evaluateStrict(node.alternate, context);
  if (consequent instanceof NoValue) return consequent;
  if (alternate instanceof NoValue) return alternate;
  return residual(
    node,
    {
      op: "conditional",
      test: nodeOf(test, node.test, context),
      consequent: nodeOf(consequent, node.consequent, context),
      alternate: nodeOf(alternate, node.alternate, context),
    },
    unionOf([typeOf(consequent), typeOf(alternate)]),
    [test, consequent, alternate],
    context,
  );
}

export function evaluateBinary(node: tree.Binary, context: EvaluationContext): Evaluated {
  if (node.operator === "??") return evaluateDefault(node, context);
  if (node.operator === "&&" || node.operator === "||") return evaluateLogic(node, context);
  const left = evaluateStrict(node.left, context);
  const right = evaluateStrict(node.right, context);
  if (left === BROKEN || right === BROKEN) return BROKEN;
  if (left instanceof NoValue || right instanceof NoValue) return PENDING;
  return strictOperator(node, node.operator, left, right, context);
}

/** `a ?? b`: evaluates `b` only if `a` is missing or null. */
function evaluateDefault(node: tree.Binary, context: EvaluationContext): Evaluated {
  const left = context.world.evaluate(node.left, context);
  const empty = left === null || (left instanceof NoValue && left.kind === "missing");
  if (empty) return context.world.evaluate(node.right, context);
  if (!(left instanceof Residual)) return left;
  const right = evaluateStrict(node.right, context);
  if (right instanceof NoValue) return right;
  return binary(node, left, right, unionOf([left.type, typeOf(right)]), context);
}

/**
 * `&&` and `||`. A known side that decides nothing disappears, one on the left that decides is the answer. On the right
 * it stays: the left side may fail, and a failure is not to be folded away.
 */
function evaluateLogic(node: tree.Binary, context: EvaluationContext): Evaluated {
  const first = evaluateStrict(node.left, context);
  const left = first instanceof NoValue ? first : condition(first, node.left, context);
  if (left instanceof NoValue) {
    if (left === BROKEN)
      evaluateStrict(node.right, { ...context, report: namesOnly(context.report) });
    return left;
  }
  const decisive = node.operator === "||";
  if (left === decisive) return decisive;
  const second = evaluateStrict(node.right, context);
  if (second instanceof NoValue) return second;
  const right = condition(second, node.right, context);
  if (right instanceof NoValue || typeof left === "boolean") return right;
  if (right === !decisive && left.type.kind === "boolean") return left;
  return binary(node, left, right, BOOLEAN, context);
}

/** After an invalid left side, reports only errors that hold in any case: unknown names. */
const namesOnly =
  (report: EvaluationContext["report"]): EvaluationContext["report"] =>
  (diagnostic) => {
    if (/^E20/.test(diagnostic.code)) report(diagnostic);
  };

function strictOperator(
  node: tree.Binary,
  operator: StrictOperator,
  left: Value,
  right: Value,
  context: EvaluationContext,
): Evaluated {
  const type = operatorType(operator, typeOf(left), typeOf(right));
  if (!type) return wrongOperands(node, left, right, context);
  if (isOpen(left) || isOpen(right)) {
    return binary(node, left, right, type, context);
  }
  context.world.step(weightOf(left) + weightOf(right), () => locationOf(node, context));
  return folded(node, context, () => applyOperator(operator, left, right));
}

function binary(
  node: tree.Binary,
  left: Value,
  right: Value,
  type: Type,
  context: EvaluationContext,
): Evaluated {
  return residual(
    node,
    {
      op: "binary",
      operator: node.operator,
      left: nodeOf(left, node.left, context),
      right: nodeOf(right, node.right, context),
    },
    type,
    [left, right],
    context,
  );
}

function folded(
  node: tree.ExpressionNode,
  context: EvaluationContext,
  compute: () => Value,
): Evaluated {
  try {
    return bounded(compute(), node, context);
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    context.report(
      createDiagnostic(thrown.code, locationOf(node, context), thrown.message, {
        help: thrown.help,
      }),
    );
    return BROKEN;
  }
}

function wrongOperands(
  node: tree.Binary,
  left: Value,
  right: Value,
  context: EvaluationContext,
): NoValue {
  const { operator } = node;
  const [a, b] = [describeValue(left), describeValue(right)];
  const never = operator === "==" || operator === "!=";
  const message = never
    ? `${a} and ${b} can never be equal`
    : `\`${operator}\` does not go with ${a} and ${b}`;
  const start = node.operatorStart;
  const location = locationOf({ start, end: start + operator.length }, context);
  context.report(
    createDiagnostic("E307", location, message, { help: operandHint(operator, left, right) }),
  );
  return BROKEN;
}

function operandHint(operator: tree.BinaryOperator, left: Value, right: Value): string | undefined {
  if (operator === "=~") {
    return typeof right === "string"
      ? 'a pattern is written `re"…"`'
      : "the pattern must be known now";
  }
  if (operator === "in" && typeof right === "string")
    return "`contains(text, part)` looks into a string";
  if (operator !== "+") return undefined;
  if (isList(left)) return "`concat(…)` joins lists";
  if (typeof left === "string" || typeof right === "string") {
    return 'put values into a string with `"${…}"`';
  }
  return describeType(typeOf(left)) === describeType(NUMBER)
    ? "a unit must be given on both sides: `30s + 10s`"
    : undefined;
}
