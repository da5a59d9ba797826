/**
 * The size of a value. Values share parts, so a few lets can describe more elements than any walk could finish; a
 * value beyond the limit is refused when it is created.
 */
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import { limits } from "../limits.js";
import { isList, isObject, type Measure, Residual, type Value } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { BROKEN, type Evaluated } from "./outcome.js";

/** The value, unless it is larger than one may be. */
export function bounded(
  value: Value,
  node: tree.ExpressionNode,
  context: EvaluationContext,
): Evaluated {
  if (typeof value === "string" && value.length > limits.string) {
    context.report(
      createDiagnostic(
        "E406",
        locationOf(node, context),
        `the string would be longer than ${limits.string} characters`,
      ),
    );
    return BROKEN;
  }
  const { elements, depth } = measureOf(value);
  const most = value instanceof Residual ? limits.nodes : limits.elements;
  const deepest = value instanceof Residual ? limits.nodeDepth : limits.depth;
  if (elements <= most && depth <= deepest) return value;
  const message =
    elements > most
      ? `the value has more than ${most} parts`
      : `the value is nested more than ${deepest} deep`;
  context.report(createDiagnostic("E408", locationOf(node, context), message));
  return BROKEN;
}

/** Whether something in the value is not known yet. */
export function isOpen(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { later, secret } = measureOf(value);
  return later || secret;
}

/** What it costs to look at a value or to make it, in steps: its parts, or a step for a thousand characters. */
export function weightOf(value: Value): number {
  if (typeof value === "string") return value.length >>> 10;
  return typeof value === "object" && value !== null ? measureOf(value).elements >>> 2 : 0;
}

const SCALAR: Measure = { elements: 1, depth: 0, later: false, secret: false };

/** A leaf of a residual expression. */
export const LATER: Measure = { elements: 1, depth: 1, later: true, secret: false };
export const SECRET_MEASURE: Measure = { elements: 1, depth: 1, later: false, secret: true };

/** Only for nested lists and objects: others are measured as fast as looked up. */
const measures = new WeakMap<object, Measure>();

export function measureOf(value: Value): Measure {
  if (typeof value !== "object" || value === null) return SCALAR;
  if (value instanceof Residual) return value.measure;
  const parts = isList(value) ? value : isObject(value) ? Object.values(value) : undefined;
  if (!parts) return SCALAR;
  const known = measures.get(value);
  if (known) return known;
  const measure = combinedMeasure(parts);
  if (measure.depth > 1) measures.set(value, measure);
  return measure;
}

/** What is made of parts, one level above them. */
export function combinedMeasure(parts: readonly Value[]): Measure {
  let elements = 1;
  let depth = 0;
  let later = false;
  let secret = false;
  for (const part of parts) {
    const measure = measureOf(part);
    elements += measure.elements;
    depth = Math.max(depth, measure.depth);
    later ||= measure.later;
    secret ||= measure.secret;
  }
  return { elements, depth: depth + 1, later, secret };
}
