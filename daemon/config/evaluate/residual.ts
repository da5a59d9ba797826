/** Functions that create residual expressions. */
import type * as tree from "../../../grammar/tree.js";
import type { Type } from "../types/type.js";
import { isList, isObject, Residual, type Value, type ValueNode } from "../values/value.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { bounded, combinedMeasure, isOpen } from "./measure.js";
import type { Evaluated } from "./outcome.js";

/** A node without its place; for making one. */
export type NodeParts = ValueNode extends infer Each
  ? Each extends ValueNode
    ? Omit<Each, "range">
    : never
  : never;

/** A residual made of `parts`, of which at least one is open. */
export function residual(
  source: tree.ExpressionNode,
  node: NodeParts,
  type: Type,
  parts: readonly Value[],
  context: EvaluationContext,
): Evaluated {
  const made = { ...node, range: locationOf(source, context) } as ValueNode;
  return bounded(new Residual(made, type, combinedMeasure(parts)), source, context);
}

/** A value as a node: known values become constants, unknown ones keep their structure. */
export function nodeOf(value: Value, source: tree.Span, context: EvaluationContext): ValueNode {
  if (value instanceof Residual) return value.node;
  const range = locationOf(source, context);
  if (!isOpen(value)) return { op: "constant", value, range };
  if (isList(value)) {
    return { op: "list", items: value.map((item) => nodeOf(item, source, context)), range };
  }
  const entries = Object.entries(isObject(value) ? value : {});
  return {
    op: "object",
    entries: entries.map(([name, each]) => [name, nodeOf(each, source, context)] as const),
    range,
  };
}
