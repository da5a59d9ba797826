/** Making what is left of an expression. */
import type * as tree from "../../../grammar/tree.js";
import type { Type } from "../types/type.js";
import { isList, isObject, type Node, Residual, type Value } from "../values/value.js";
import { bounded, isOpen } from "./measure.js";
import type { Outcome } from "./trouble.js";
import { type Context, placeOf } from "./world.js";

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
  const flags = {
    later: parts.some((part) => openness(part, context).later),
    secret: parts.some((part) => openness(part, context).secret),
  };
  const made = { ...node, range: placeOf(source, context) } as Node;
  return bounded(new Residual(made, type, flags), source, context);
}

interface Openness {
  readonly later: boolean;
  readonly secret: boolean;
}
const CLOSED: Openness = { later: false, secret: false };

/** Which kinds of unknown stand in a value, at any depth. */
export function openness(value: Value, context: Context): Openness {
  if (value instanceof Residual) return value;
  if (!isOpen(value, context)) return CLOSED;
  const parts = isList(value) ? value : isObject(value) ? Object.values(value) : [];
  return parts.reduce<Openness>((sum, part) => {
    const own = openness(part, context);
    return { later: sum.later || own.later, secret: sum.secret || own.secret };
  }, CLOSED);
}

/** A value as a node: what is known becomes a constant, what is open keeps its shape. */
export function nodeOf(value: Value, source: tree.Span, context: Context): Node {
  if (value instanceof Residual) return value.node;
  const range = placeOf(source, context);
  if (!isOpen(value, context)) return { op: "constant", value, range };
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
