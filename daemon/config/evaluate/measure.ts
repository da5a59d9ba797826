/**
 * How large a value is. Values share their parts, so a handful of lets can stand for more elements than a walk would
 * ever finish; what is too large is refused the moment it is made.
 */
import type * as tree from "../../../grammar/tree.js";
import { complaint } from "../complain.js";
import { childrenOf } from "../expression/nodes.js";
import { limits } from "../limits.js";
import { isList, isObject, type Node, Residual, type Value } from "../values/value.js";
import { BROKEN, type Outcome } from "./trouble.js";
import { type Context, type Measure, placeOf } from "./world.js";

/** The value, unless it is larger than one may be. */
export function bounded(value: Value, node: tree.Expression, context: Context): Outcome {
  if (typeof value === "string" && value.length > limits.string) {
    context.report(
      complaint(
        "E406",
        placeOf(node, context),
        `the string would be longer than ${limits.string} characters`,
      ),
    );
    return BROKEN;
  }
  const { elements, depth } = measureOf(value, context);
  const most = value instanceof Residual ? limits.nodes : limits.elements;
  const deepest = value instanceof Residual ? limits.nodeDepth : limits.depth;
  if (elements <= most && depth <= deepest) return value;
  const message =
    elements > most
      ? `the value has more than ${most} parts`
      : `the value is nested more than ${deepest} deep`;
  context.report(complaint("E408", placeOf(node, context), message));
  return BROKEN;
}

/** Whether something in the value is not known yet. */
export const isOpen = (value: Value, context: Context): boolean => measureOf(value, context).open;

function measureOf(value: Value, context: Context): Measure {
  const { world } = context;
  const own = (each: object): Measure => {
    if (each instanceof Residual) return { ...measureNode(each.node), open: true };
    if (isList(each)) return together(each.map((item) => world.measure(item, own)));
    if (isObject(each))
      return together(Object.values(each).map((item) => world.measure(item, own)));
    return { elements: 1, depth: 0, open: false };
  };
  return world.measure(value, own);
}

function together(parts: readonly Measure[]): Measure {
  let elements = 1;
  let depth = 0;
  let open = false;
  for (const part of parts) {
    elements += part.elements;
    depth = Math.max(depth, part.depth);
    open ||= part.open;
  }
  return { elements, depth: depth + 1, open };
}

const nodeMeasures = new WeakMap<Node, { readonly elements: number; readonly depth: number }>();

/** Nodes are measured as they are made, so this never goes deep. */
function measureNode(node: Node): { readonly elements: number; readonly depth: number } {
  const known = nodeMeasures.get(node);
  if (known) return known;
  let elements = 1;
  let depth = 0;
  for (const child of childrenOf(node)) {
    const measured = measureNode(child);
    elements += measured.elements;
    depth = Math.max(depth, measured.depth);
  }
  const measure = { elements, depth: depth + 1 };
  nodeMeasures.set(node, measure);
  return measure;
}
