/** Walking residual expressions. */
import { equalValues } from "../functions/compare.js";
import type { ValueNode } from "../values/value.js";

/** The nodes directly inside a node, in the order they are evaluated. */
export function childrenOf(node: ValueNode): readonly ValueNode[] {
  switch (node.op) {
    case "constant":
    case "name":
    case "local":
    case "secret":
      return [];
    case "index":
      return [node.object, node.key];
    case "every":
      return [node.object, node.body];
    case "unary":
      return [node.operand];
    case "binary":
      return [node.left, node.right];
    case "conditional":
      return [node.test, node.consequent, node.alternate];
    case "template":
      return node.parts;
    case "list":
      return node.items;
    case "object":
      return node.entries.map(([, value]) => value);
    case "for":
      return [node.iterable, node.test, node.name, node.body].filter((each) => each !== undefined);
    case "call":
      return node.arguments;
  }
}

/** Whether it contains a secret. */
export function holdsSecret(node: ValueNode): boolean {
  return node.op === "secret" || childrenOf(node).some(holdsSecret);
}

/** What its secrets are read from, without repetition. */
export function secretReferences(node: ValueNode): readonly string[] {
  const found = new Set<string>();
  const visit = (each: ValueNode): void => {
    if (each.op === "secret") found.add(each.reference);
    childrenOf(each).forEach(visit);
  };
  visit(node);
  return [...found];
}

/** The first run-time name in it, for diagnostics about load-time values. */
export function firstName(node: ValueNode): Extract<ValueNode, { op: "name" }> | undefined {
  if (node.op === "name") return node;
  for (const child of childrenOf(node)) {
    const found = firstName(child);
    if (found) return found;
  }
  return undefined;
}

/**
 * Whether two expressions are structurally equal, wherever they are written. `sameSecret` compares references of
 * secrets.
 */
export function sameNode(
  a: ValueNode,
  b: ValueNode,
  sameSecret: (a: string, b: string) => boolean = Object.is,
): boolean {
  if (a.op === "secret" && b.op === "secret") return sameSecret(a.reference, b.reference);
  if (a.op !== b.op || !sameOwn(a, b)) return false;
  const left = childrenOf(a);
  const right = childrenOf(b);
  return (
    left.length === right.length &&
    left.every((node, index) => sameNode(node, right[index] as ValueNode, sameSecret))
  );
}

/** What a node says by itself, apart from its children and its place. */
function sameOwn(a: ValueNode, b: ValueNode): boolean {
  switch (a.op) {
    case "constant":
      return b.op === a.op && equalValues(a.value, b.value);
    case "name":
      return b.op === a.op && a.name === b.name;
    case "local":
      return b.op === a.op && a.slot === b.slot;
    case "every":
      return b.op === a.op && a.slot === b.slot;
    case "unary":
      return b.op === a.op && a.operator === b.operator;
    case "binary":
      return b.op === a.op && a.operator === b.operator;
    case "for":
      return (
        b.op === a.op &&
        a.slot === b.slot &&
        a.keySlot === b.keySlot &&
        (a.test === undefined) === (b.test === undefined) &&
        (a.name === undefined) === (b.name === undefined)
      );
    case "call":
      return b.op === a.op && a.name === b.name;
    case "object":
      return (
        b.op === a.op &&
        a.entries.length === b.entries.length &&
        a.entries.every(([name], index) => b.entries[index]?.[0] === name)
      );
    default:
      return true;
  }
}
