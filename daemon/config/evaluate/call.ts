/** Evaluates calls. */
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import { functions } from "../functions/functions.js";
import { type FunctionSignature, parameterAt, renderSignature } from "../functions/signature.js";
import { describeType, describeValue } from "../types/describe.js";
import { fits } from "../types/type.js";
import { holds, typeOf } from "../types/value-type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { Residual, type Value } from "../values/value.js";
import { type BoundArgument, bindArguments } from "./arguments.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded, isOpen, weightOf } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { callPlugin } from "./plugin-call.js";
import { nodeOf, residual } from "./residual.js";
import { callSpecial } from "./special-call.js";
import { evaluateStrict } from "./strict.js";

export function evaluateCall(node: tree.CallExpression, context: EvaluationContext): Evaluated {
  const { callee } = node;
  if (callee.kind === "name") return callNamed(node, callee, context);
  if (callee.kind === "member" && callee.object.kind === "name") {
    return callPlugin(node, callee.object, callee.name, context);
  }
  context.report(
    createDiagnostic(
      "E203",
      locationOf(callee, context),
      "only a function can be called, by its name",
    ),
  );
  return BROKEN;
}

function callNamed(
  node: tree.CallExpression,
  name: tree.Name,
  context: EvaluationContext,
): Evaluated {
  const tested = context.world.testFunctionsIn(context.scope)?.call(node, name.text, context);
  if (tested !== undefined) return tested;
  const signature = functions.get(name.text);
  if (!signature) return unknownFunction(name, context);
  const bound = bindArguments(signature.parameters, renderSignature(signature), node, context);
  if (!bound) return BROKEN;
  if (!signature.apply) return callSpecial(node, signature, bound, context);
  return callPure(node, signature, bound, context);
}

function unknownFunction(name: tree.Name, context: EvaluationContext): NoValue {
  const location = locationOf(name, context);
  const suggestion = suggest(name.text, [...functions.keys()]);
  context.report(
    createDiagnostic("E203", location, `there is no function \`${name.text}\``, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help: elsewhere.get(name.text),
    }),
  );
  return BROKEN;
}

/** Functions of other languages, and the reason why this language has none. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["now", "the same text gives the same configuration, so there is no clock"],
  ["timestamp", "the same text gives the same configuration, so there is no clock"],
  ["random", "the same text gives the same configuration, so there is no chance"],
  ["uuid", "the same text gives the same configuration, so there is no chance"],
  ["exec", "a configuration runs no commands"],
  ["value", "`value(block.attribute)` can be asked only in a `test` block"],
  ["allowed", "this can be asked only in a `test` block"],
]);

function callPure(
  node: tree.CallExpression,
  signature: FunctionSignature,
  bound: readonly BoundArgument[],
  context: EvaluationContext,
): Evaluated {
  const outcomes = bound.map(({ value }) => evaluateStrict(value, context));
  if (outcomes.includes(BROKEN)) return BROKEN;
  if (outcomes.includes(PENDING)) return PENDING;
  const values = outcomes as Value[];
  if (!checkArguments(signature, bound, values, context)) return BROKEN;
  const open = values.some((value) =>
    signature.moves ? value instanceof Residual : isOpen(value),
  );
  if (open) return laterCall(node, signature, bound, values, context);
  return applied(node, signature, values, context);
}

/** Reports all invalid arguments, not only the first. */
function checkArguments(
  signature: FunctionSignature,
  bound: readonly BoundArgument[],
  values: readonly Value[],
  context: EvaluationContext,
): boolean {
  let right = true;
  for (const [index, value] of values.entries()) {
    const parameter = parameterAt(signature, index);
    if (!parameter) continue;
    const accepted = isOpen(value)
      ? fits(typeOf(value), parameter.type) !== "never"
      : holds(parameter.type, value);
    if (accepted) continue;
    right = false;
    const argument = bound[index] as BoundArgument;
    context.report(
      createDiagnostic(
        "E309",
        locationOf(argument.value, context),
        `\`${parameter.name}\` of \`${renderSignature(signature)}\` must be ${describeType(parameter.type)}, not ${describeValue(value)}`,
      ),
    );
  }
  return right;
}

function laterCall(
  node: tree.CallExpression,
  signature: FunctionSignature,
  bound: readonly BoundArgument[],
  values: readonly Value[],
  context: EvaluationContext,
): Evaluated {
  const { returns } = signature;
  const type = typeof returns === "function" ? returns(values.map(typeOf)) : returns;
  const nodes = values.map((value, index) => nodeOf(value, bound[index]?.value ?? node, context));
  return residual(
    node,
    { op: "call", name: signature.name, arguments: nodes },
    type,
    values,
    context,
  );
}

function applied(
  node: tree.CallExpression,
  signature: FunctionSignature,
  values: readonly Value[],
  context: EvaluationContext,
): Evaluated {
  try {
    const weight = values.reduce<number>((sum, value) => sum + weightOf(value), 0);
    context.world.step(weight, () => locationOf(node, context));
    const result = signature.apply?.(...(values as never[])) ?? null;
    context.world.step(weightOf(result), () => locationOf(node, context));
    return bounded(result, node, context);
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    context.report(
      createDiagnostic(thrown.code, locationOf(node, context), thrown.message, {
        help: thrown.help,
        label: thrown.code === "E313" ? `in \`${signature.name}\`` : undefined,
      }),
    );
    return BROKEN;
  }
}
