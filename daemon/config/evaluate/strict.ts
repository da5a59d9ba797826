/** Requires a value: reports missing values and values unknown at load time. */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { firstName } from "../expression/nodes.js";
import { isList, isObject, Residual, type Value } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { isOpen } from "./measure.js";
import { BROKEN, type Evaluated, NoValue } from "./outcome.js";

/** The outcome with *missing* turned into a complaint. */
export function strict(outcome: Evaluated, context: EvaluationContext): Evaluated {
  if (!(outcome instanceof NoValue) || outcome.kind !== "missing") return outcome;
  if (outcome.complaint) context.report(outcome.complaint);
  return BROKEN;
}

/** Evaluates where absence is no answer. */
export const evaluateStrict = (node: tree.ExpressionNode, context: EvaluationContext): Evaluated =>
  strict(context.world.evaluate(node, context), context);

/**
 * Evaluates where the value itself is wanted now. `purpose` ends the sentence "… is known only per request, and …":
 * "the list of a `for` is needed now".
 */
export function evaluateKnown(
  node: tree.ExpressionNode,
  purpose: string,
  context: EvaluationContext,
): Evaluated {
  const outcome = evaluateStrict(node, context);
  if (outcome instanceof NoValue || !isOpen(outcome)) return outcome;
  context.report(notKnown(outcome, node, purpose, context));
  return BROKEN;
}

/** Why a load-time value is unknown: names the run-time name or secret. */
function notKnown(
  value: Value,
  node: tree.ExpressionNode,
  purpose: string,
  context: EvaluationContext,
): ReturnType<typeof createDiagnostic> {
  const culprit = firstOpen(value);
  const name = culprit && !culprit.secret ? firstName(culprit.node) : undefined;
  const location = locationOf(node, context);
  if (!name) {
    return createDiagnostic("E215", location, `this depends on a secret, and ${purpose}`, {
      help: "secrets are read when a configuration is prepared and never decide what it consists of",
    });
  }
  return createDiagnostic(
    "E214",
    location,
    `\`${name.name}\` is known only at run time, and ${purpose}`,
  );
}

/** The first part of a value that is not known: a secret one before a later one. */
function firstOpen(value: Value): Residual | undefined {
  if (value instanceof Residual) return value;
  const parts = isList(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const part of parts) {
    const found = firstOpen(part);
    if (found) return found;
  }
  return undefined;
}
