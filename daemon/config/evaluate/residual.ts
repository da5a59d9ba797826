/** Making what is left of an expression. */
import type * as tree from "../../../grammar/tree.js";
import type { Type } from "../types/type.js";
import { isList, isObject, type Node, Residual, type Value } from "../values/value.js";
import { type Context, placeOf } from "./evaluation-run.js";
import { bounded, isOpen, together } from "./measure.js";
import type { Outcome } from "./outcome.js";

/** A node without its place; for making one. */
export type NodeParts = Node extends infer Each
  ? Each extends Node
    ? Omit<Each, "range">
    : never
  : never;

/** A residual made of `parts`, of which at least one is open. */
export function residual(
  source: tree.Expression,
  node: NodeParts,
  type: Type,
  parts: readonly Value[],
  context: Context,
): Outcome {
  const made = { ...node, range: placeOf(source, context) } as Node;
  return bounded(new Residual(made, type, together(parts)), source, context);
}

/** A value as a node: what is known becomes a constant, what is open keeps its shape. */
export function nodeOf(value: Value, source: tree.Span, context: Context): Node {
  if (value instanceof Residual) return value.node;
  const range = placeOf(source, context);
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
