/**
 * Compiles residual expressions to closures: only names are resolved at run time. An evaluation allocates only what
 * its result needs.
 */
import { valueText } from "../functions/text-of.js";
import { limits } from "../limits.js";
import { describeKind } from "../types/describe.js";
import { type Type } from "../types/type.js";
import { Quantity } from "../values/quantity.js";
import { quoteString } from "../values/render.js";
import {
  isList,
  isObject,
  objectOf,
  type Value,
  type ValueNode,
  type ValueObject,
} from "../values/value.js";
import { compileCall } from "./call.js";
import { compileLoop, type LoopNode } from "./loop.js";
import { applyOperator, negate, type StrictOperator } from "./operators.js";
import { sourceName } from "./source-name.js";
import {
  Absent,
  type CompiledNode,
  effort,
  exceedsWorkLimit,
  failureOf,
  guarded,
  truthOf,
} from "./step.js";

/** Compiles a node and all below it. */
export function compileExpression(node: ValueNode): CompiledNode {
  switch (node.op) {
    case "constant": {
      const { value } = node;
      return () => value;
    }
    case "name":
      return compileName(node);
    case "local": {
      const { slot } = node;
      return (_scope, frame) => frame.slots[slot] as Value;
    }
    case "secret": {
      const unresolved = new Absent("failed", "the secret has not been read yet", node.range);
      return (_scope, frame) => frame.secrets?.get(node.reference) ?? unresolved;
    }
    case "index":
      return compileIndex(node);
    case "every":
    case "for":
      return compileEach(node);
    case "unary":
      return compileUnary(node);
    case "binary":
      return compileBinary(node);
    case "conditional":
      return compileConditional(node);
    case "template":
      return compileTemplate(node);
    case "list":
      return compileAll(node.items, (items) => items);
    case "object": {
      const names = node.entries.map(([name]) => name);
      return compileAll(
        node.entries.map(([, value]) => value),
        (values) => objectOf(names.map((name, index) => [name, values[index] as Value])),
      );
    }
    case "call":
      return compileCall(node, node.arguments.map(compileExpression));
  }
}

function compileName(node: Extract<ValueNode, { op: "name" }>): CompiledNode {
  const { name } = node;
  const missing = new Absent("missing", name, node.range);
  const unit = unitOf(node.type);
  return (scope) => {
    if (!Object.hasOwn(scope, name)) return missing;
    const value = scope[name] as Value | undefined;
    if (value === undefined) return missing;
    return unit !== undefined && typeof value === "number" ? new Quantity(unit, value) : value;
  };
}

/** Plugins pass durations, sizes and percentages as bare numbers. */
function unitOf(type: Type): Quantity["unit"] | undefined {
  const { kind } = type;
  return kind === "duration" || kind === "size" || kind === "percent" ? kind : undefined;
}

function compileIndex(node: Extract<ValueNode, { op: "index" }>): CompiledNode {
  const object = compileExpression(node.object);
  const missing = new Absent("missing", sourceName(node), node.range);
  const key = compileExpression(node.key);
  if (node.key.op === "constant" && typeof node.key.value === "string") {
    const name = node.key.value;
    return (scope, frame) => {
      const from = object(scope, frame);
      if (from instanceof Absent) return from;
      if (isObject(from)) return ownPart(from, name, missing);
      return from === null ? missing : noSuchPart(from, name, node);
    };
  }
  return (scope, frame) => {
    const from = object(scope, frame);
    if (from instanceof Absent) return from;
    const name = key(scope, frame);
    if (name instanceof Absent) return name;
    if (from === null) return missing;
    if (isList(from) && typeof name === "number") return from.at(name) ?? missing;
    if (isObject(from) && typeof name === "string") {
      return ownPart(from, name, missing);
    }
    return noSuchPart(from, name, node);
  };
}

/** Own properties only: `constructor` and `__proto__` are names like any other. */
function ownPart(object: ValueObject, name: string, missing: Absent): Value | Absent {
  if (!Object.hasOwn(object, name)) return missing;
  const value = object[name];
  return value === undefined ? missing : value;
}

function noSuchPart(from: Value, key: Value, node: Extract<ValueNode, { op: "index" }>): Absent {
  const what = typeof key === "string" ? quoteString(key) : describeKind(key);
  const hint = isList(from) && typeof key === "string" ? "; `[*]` stands for every element" : "";
  const owner = sourceName(node.object);
  return new Absent(
    "failed",
    `\`${owner}\` is ${describeKind(from)} and has no ${what}${hint}`,
    node.range,
  );
}

function compileEach(node: LoopNode): CompiledNode {
  return compileLoop(node, {
    source: compileExpression(node.op === "every" ? node.object : node.iterable),
    body: compileExpression(node.body),
    ...(node.op === "for" && node.test && { test: compileExpression(node.test) }),
    ...(node.op === "for" && node.name && { name: compileExpression(node.name) }),
  });
}

function compileUnary(node: Extract<ValueNode, { op: "unary" }>): CompiledNode {
  const operand = compileExpression(node.operand);
  if (node.operator === "!") {
    return (scope, frame) => {
      const value = truthOf(operand(scope, frame), node.operand);
      return typeof value === "boolean" ? !value : value;
    };
  }
  return (scope, frame) => {
    const value = operand(scope, frame);
    return value instanceof Absent ? value : guarded(node, () => negate(value));
  };
}

function compileBinary(node: Extract<ValueNode, { op: "binary" }>): CompiledNode {
  const left = compileExpression(node.left);
  const right = compileExpression(node.right);
  const { operator } = node;
  if (operator === "??") {
    return (scope, frame) => {
      const value = left(scope, frame);
      const empty = value === null || (value instanceof Absent && value.kind === "missing");
      return empty ? right(scope, frame) : value;
    };
  }
  if (operator === "&&" || operator === "||") {
    const decisive = operator === "||";
    return (scope, frame) => {
      const first = truthOf(left(scope, frame), node.left);
      if (first === decisive) return decisive;
      if (first instanceof Absent && first.kind === "failed") return first;
      const second = truthOf(right(scope, frame), node.right);
      if (second === decisive) return decisive;
      return first instanceof Absent ? first : second;
    };
  }
  return compileStrict(node, operator, left, right);
}

function compileStrict(
  node: ValueNode,
  operator: StrictOperator,
  left: CompiledNode,
  right: CompiledNode,
): CompiledNode {
  return (scope, frame) => {
    const l = left(scope, frame);
    if (l instanceof Absent) return l;
    const r = right(scope, frame);
    if (r instanceof Absent) return r;
    frame.looks -= effort(l) + effort(r);
    if (frame.looks < 0) return exceedsWorkLimit(node);
    try {
      return applyOperator(operator, l, r);
    } catch (thrown) {
      return failureOf(thrown, node);
    }
  };
}

function compileConditional(node: Extract<ValueNode, { op: "conditional" }>): CompiledNode {
  const test = compileExpression(node.test);
  const consequent = compileExpression(node.consequent);
  const alternate = compileExpression(node.alternate);
  return (scope, frame) => {
    const chosen = truthOf(test(scope, frame), node.test);
    if (chosen instanceof Absent) return chosen;
    return chosen ? consequent(scope, frame) : alternate(scope, frame);
  };
}

function compileTemplate(node: Extract<ValueNode, { op: "template" }>): CompiledNode {
  const parts = node.parts.map((part) => [compileExpression(part), part] as const);
  return (scope, frame) => {
    let text = "";
    for (const [step, part] of parts) {
      const value = step(scope, frame);
      if (value instanceof Absent) return value;
      if (typeof value === "string") text += value;
      else {
        const piece = guarded(part, () => valueText(value));
        if (piece instanceof Absent) return piece;
        text += piece as string;
      }
      if (text.length > limits.string) {
        return new Absent(
          "failed",
          `the string would be longer than ${limits.string} characters`,
          node.range,
        );
      }
    }
    return text;
  };
}

/** Evaluates all; the first absent one decides. */
function compileAll(nodes: readonly ValueNode[], make: (values: Value[]) => Value): CompiledNode {
  const steps = nodes.map(compileExpression);
  return (scope, frame) => {
    const values: Value[] = [];
    for (const step of steps) {
      const value = step(scope, frame);
      if (value instanceof Absent) return value;
      values.push(value);
    }
    return make(values);
  };
}
