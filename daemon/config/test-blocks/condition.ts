/** `matches(block, request)`: a block's condition, its attribute `when`, over a request made up for a test. */
import type * as tree from "../../../grammar/tree.js";
import type { ScopeDescriptor } from "../../plugin-api/descriptor.js";
import type { Explanation } from "../../plugin-api/values.js";
import type { CheckedInstance } from "../assemble/blocks.js";
import { createDiagnostic } from "../diagnose.js";
import { type EvaluationContext, locationOf } from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated, NoValue } from "../evaluate/outcome.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { RunTimeExpression } from "../expression/expression.js";
import { describeValue } from "../types/describe.js";
import { isObject, objectOf, type ValueObject } from "../values/value.js";

const CONDITION = "when";

export function requestMatches(
  node: tree.CallExpression,
  checked: CheckedInstance,
  context: EvaluationContext,
): Evaluated {
  const scope = scopeOf(checked);
  const [, argument] = node.arguments;
  if (!scope || !argument || node.arguments.length > 2) {
    const message = scope
      ? "`matches(block, request)` has two arguments"
      : `\`${checked.block.key}\` has no condition: a block of its kind has no attribute \`${CONDITION}\``;
    context.report(createDiagnostic(scope ? "E308" : "E702", locationOf(node, context), message));
    return BROKEN;
  }
  const request = requestOf(argument.value, scope, context);
  if (request instanceof NoValue) return request;
  const condition = checked.block.values[CONDITION];
  if (!(condition instanceof RunTimeExpression)) return true;
  const result = condition.evaluate(request);
  if (result.kind === "missing") return false;
  if (result.kind === "value") return result.value === true;
  context.report(
    createDiagnostic(
      "E702",
      locationOf(node, context),
      `the condition cannot be worked out: ${result.message}`,
      {
        related: [{ location: result.range, message: "here" }],
      },
    ),
  );
  return BROKEN;
}

export function explainMatch(
  node: tree.CallExpression,
  checked: CheckedInstance,
  context: EvaluationContext,
): Explanation | undefined {
  const scope = scopeOf(checked);
  const argument = node.arguments[1]?.value;
  const condition = checked.block.values[CONDITION];
  if (!scope || !argument || !(condition instanceof RunTimeExpression)) return undefined;
  const request = requestOf(argument, scope, context);
  return request instanceof NoValue ? undefined : condition.explain(request);
}

/** The run-time names of the block's condition. */
function scopeOf({ block }: CheckedInstance): ScopeDescriptor | undefined {
  const { attributes } = block.descriptor;
  const type = Object.hasOwn(attributes, CONDITION) ? attributes[CONDITION]?.type : undefined;
  return type?.type === "expression" ? type.scope : undefined;
}

/** The request as an object of run-time names: one that has none of them stands for the first. */
function requestOf(
  node: tree.ExpressionNode,
  scope: ScopeDescriptor,
  context: EvaluationContext,
): ValueObject | NoValue {
  const given = evaluateKnown(node, "a test is decided now", context);
  if (given instanceof NoValue) return given;
  const names = Object.keys(scope.names);
  const [first] = names;
  if (!isObject(given) || first === undefined) {
    context.report(
      createDiagnostic(
        "E309",
        locationOf(node, context),
        `a ${scope.title} is an object, not ${describeValue(given)}`,
      ),
    );
    return BROKEN;
  }
  const unknownName = Object.keys(given).find((name) => !names.includes(name));
  const familiar = Object.keys(given).some((name) => names.includes(name));
  if (!familiar) return objectOf([[first, given]]);
  if (unknownName === undefined) return lowered(given, scope);
  context.report(
    createDiagnostic(
      "E309",
      locationOf(node, context),
      `the ${scope.title} has no \`${unknownName}\``,
      {
        help: `it has ${names.map((name) => `\`${name}\``).join(", ")}; an object with none of these stands for \`${first}\``,
      },
    ),
  );
  return BROKEN;
}

/** Names like `header` are looked up in lower case. */
function lowered(request: ValueObject, scope: ScopeDescriptor): ValueObject {
  return objectOf(
    Object.entries(request).map(([name, value]) => {
      if (!scope.names[name]?.caseInsensitive || !isObject(value)) return [name, value] as const;
      const entries = Object.entries(value).map(
        ([key, each]) => [key.toLowerCase(), each] as const,
      );
      return [name, objectOf(entries)] as const;
    }),
  );
}
