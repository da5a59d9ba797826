import type { ExpressionNode } from "../tree.js";

/** Whether an expression's tree has more levels than `limit`. Walks level by level: no recursion, whatever the height. */
export function exceedsHeight(expression: ExpressionNode, limit: number): boolean {
  let level: ExpressionNode[] = [expression];
  for (let height = 1; level.length > 0; height++) {
    if (height > limit) return true;
    level = level.flatMap(children);
  }
  return false;
}

/** The expressions directly inside an expression, in the order of the text. */
function children(expression: ExpressionNode): readonly ExpressionNode[] {
  switch (expression.kind) {
    case "template":
      return expression.parts.flatMap((part) => (part.kind === "hole" ? [part.expression] : []));
    case "member":
      return [expression.object];
    case "index":
      return expression.index ? [expression.object, expression.index] : [expression.object];
    case "call":
      return [expression.callee, ...expression.arguments.map(({ value }) => value)];
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "conditional":
      return [expression.test, expression.consequent, expression.alternate];
    case "list":
      return expression.items;
    case "list_for":
      return expression.test
        ? [expression.iterable, expression.test, expression.body]
        : [expression.iterable, expression.body];
    case "object":
      return expression.entries.flatMap(({ key, value }) =>
        key.kind === "template" ? [key, value] : [value],
      );
    default:
      return [];
  }
}
