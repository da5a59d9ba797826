/** A residual expression with every constant changed; everything else stays. */
import type { Value, ValueNode } from "../values/value.js";

export function mapNode(node: ValueNode, change: (value: Value) => Value): ValueNode {
  const go = (each: ValueNode): ValueNode => mapNode(each, change);
  switch (node.op) {
    case "constant":
      return { ...node, value: change(node.value) };
    case "name":
    case "local":
    case "secret":
      return node;
    case "index":
      return { ...node, object: go(node.object), key: go(node.key) };
    case "every":
      return { ...node, object: go(node.object), body: go(node.body) };
    case "unary":
      return { ...node, operand: go(node.operand) };
    case "binary":
      return { ...node, left: go(node.left), right: go(node.right) };
    case "conditional":
      return {
        ...node,
        test: go(node.test),
        consequent: go(node.consequent),
        alternate: go(node.alternate),
      };
    case "template":
      return { ...node, parts: node.parts.map(go) };
    case "list":
      return { ...node, items: node.items.map(go) };
    case "object":
      return { ...node, entries: node.entries.map(([name, value]) => [name, go(value)] as const) };
    case "for":
      return {
        ...node,
        iterable: go(node.iterable),
        body: go(node.body),
        ...(node.test ? { test: go(node.test) } : {}),
      };
    case "call":
      return { ...node, arguments: node.arguments.map(go) };
  }
}
