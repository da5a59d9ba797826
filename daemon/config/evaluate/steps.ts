/** The steps of a path: `.b`, `[c]`, `[*]`. */
import type * as tree from "../../../grammar/tree.js";
import type { Evaluated } from "./outcome.js";

/** One step into a value; every step knows the expression that ends with it. */
export type PathStep = tree.MemberAccess | tree.IndexAccess;

/** The value of the first name of a path, and the number of steps it used. */
export interface Head {
  readonly outcome: Evaluated;
  readonly used: number;
}

/** The chain from the inside out. */
export function accessPath(node: tree.ExpressionNode): {
  base: tree.ExpressionNode;
  steps: PathStep[];
} {
  const steps: PathStep[] = [];
  let base = node;
  while (base.kind === "member" || base.kind === "index") {
    steps.push(base);
    base = base.object;
  }
  return { base, steps: steps.reverse() };
}
