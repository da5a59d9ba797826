/** The functions that the evaluator carries out itself: absence, inputs, secrets. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { FunctionSignature } from "../functions/signature.js";
import { BOOLEAN, unionOf } from "../types/type.js";
import { typeOf } from "../types/value-type.js";
import { Residual, type Value, type ValueObject } from "../values/value.js";
import type { BoundArgument } from "./arguments.js";
import type { EvaluationContext } from "./evaluation-run.js";
import { readEnvironment, readFile } from "./input-call.js";
import { isOpen } from "./measure.js";
import { BROKEN, type Evaluated, NoValue, PENDING } from "./outcome.js";
import { nodeOf, residual } from "./residual.js";
import { secretOf } from "./secret-call.js";
import { evaluateStrict, strict } from "./strict.js";

export function callSpecial(
  node: tree.CallExpression,
  signature: FunctionSignature,
  bound: readonly BoundArgument[],
  context: EvaluationContext,
): Evaluated {
  const [first, second] = bound.map(({ value }) => value);
  if (signature.name === "coalesce") return coalesce(node, bound, context);
  if (!first) return BROKEN;
  switch (signature.name) {
    case "try":
      return second ? attempt(node, first, second, context) : BROKEN;
    case "defined":
      return defined(node, first, context);
    case "env":
      return readEnvironment(node, first, second, context);
    case "file":
      return readFile(first, context);
    case "postgres":
      return database(first, context);
    default:
      return secretOf(node, first, context);
  }
}

/** An object whose part is checked where it is used: what an address is made of stays a secret of its own. */
function database(address: tree.ExpressionNode, context: EvaluationContext): Evaluated {
  const postgres = evaluateStrict(address, context);
  if (postgres instanceof NoValue) return postgres;
  return Object.assign(Object.create(null), { postgres }) as ValueObject;
}

/** A chain of `??`. */
function coalesce(
  node: tree.CallExpression,
  bound: readonly BoundArgument[],
  context: EvaluationContext,
): Evaluated {
  const open: Value[] = [];
  let last: Evaluated = null;
  for (const { value } of bound) {
    last = context.world.evaluate(value, context);
    if (last === null || (last instanceof NoValue && last.kind === "missing")) continue;
    if (last instanceof NoValue) return last;
    if (!(last instanceof Residual)) break;
    open.push(last);
  }
  if (open.length === 0) return last;
  const known = last instanceof NoValue || last instanceof Residual || last === null ? [] : [last];
  const values = [...open, ...known];
  const nodes = values.map((value) => nodeOf(value, node, context));
  const type = unionOf(values.map(typeOf));
  return residual(node, { op: "call", name: "coalesce", arguments: nodes }, type, values, context);
}

/** Complaints that no default can answer: names that mean nothing, and limits. */
const lasting = /^E(20[0-9]|21[0-6]|218|308|4\d\d)$/;

/** `try(value, default)`. */
function attempt(
  node: tree.CallExpression,
  value: tree.ExpressionNode,
  otherwise: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  const complaints: Diagnostic[] = [];
  const outcome = context.world.evaluate(value, {
    ...context,
    report: (diagnostic) => complaints.push(diagnostic),
  });
  const serious = complaints.filter(({ code }) => lasting.test(code));
  serious.forEach(context.report);
  if (serious.length > 0) return BROKEN;
  if (outcome === PENDING) return PENDING;
  if (outcome instanceof NoValue) return context.world.evaluate(otherwise, context);
  if (!(outcome instanceof Residual)) return outcome;
  const fallback = evaluateStrict(otherwise, context);
  if (fallback instanceof NoValue) return fallback;
  return residual(
    node,
    {
      op: "call",
      name: "try",
      arguments: [nodeOf(outcome, value, context), nodeOf(fallback, otherwise, context)],
    },
    unionOf([outcome.type, typeOf(fallback)]),
    [outcome, fallback],
    context,
  );
}

function defined(
  node: tree.CallExpression,
  value: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  const outcome = context.world.evaluate(value, context);
  if (outcome instanceof NoValue && outcome.kind === "missing") return false;
  const present = strict(outcome, context);
  if (present instanceof NoValue) return present;
  if (!isOpen(present)) return true;
  const inner = nodeOf(present, value, context);
  return residual(
    node,
    { op: "call", name: "defined", arguments: [inner] },
    BOOLEAN,
    [present],
    context,
  );
}
