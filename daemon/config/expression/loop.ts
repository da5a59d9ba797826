/** Loops of run-time expressions. */
import { describeKind } from "../types/describe.js";
import { roundsOf, wrongName } from "../values/rounds.js";
import { objectOf, type Value, type ValueNode } from "../values/value.js";
import {
  Absent,
  type CompiledNode,
  type EvaluationFrame,
  exceedsWorkLimit,
  type RequestScope,
  truthOf,
} from "./step.js";

/**
 * `[*]` and `for`: the body for every element. One absent element makes the whole absent; a missing condition is not
 * satisfied, so its element is left out. A folded `let` may use the same slot as a loop around it: the slot is restored.
 */
export function compileLoop(node: LoopNode, parts: LoopParts): CompiledNode {
  const { source, name: entryName } = parts;
  const element = compileElement(node, parts);
  const flat = node.op === "every" && node.body.op === "every";
  const keySlot = node.op === "for" ? node.keySlot : undefined;
  return (scope, frame) => {
    const elements = source(scope, frame);
    if (elements instanceof Absent) return elements;
    const rounds = roundsOf(elements, keySlot !== undefined);
    if (!rounds) return failure(node, `${describeKind(elements)} has no elements to go through`);
    const outer = frame.slots[node.slot] as Value;
    const outerKey = keySlot === undefined ? null : (frame.slots[keySlot] as Value);
    const results: Value[] = [];
    const entries = new Map<string, Value>();
    for (const [key, each] of rounds) {
      frame.slots[node.slot] = each;
      if (keySlot !== undefined) frame.slots[keySlot] = key;
      const result = element(scope, frame);
      if (result === LEFT_OUT) continue;
      if (result instanceof Absent) return result;
      if (entryName) {
        const name = entryName(scope, frame);
        if (name instanceof Absent) return name;
        const wrong = wrongName(name, entries);
        if (wrong !== undefined) return failure(node, wrong);
        entries.set(name as string, result as Value);
      } else if (flat) for (const inner of result as readonly Value[]) results.push(inner);
      else results.push(result as Value);
    }
    frame.slots[node.slot] = outer;
    if (keySlot !== undefined) frame.slots[keySlot] = outerKey;
    return entryName ? objectOf([...entries]) : results;
  };
}

export type LoopNode = Extract<ValueNode, { op: "every" | "for" }>;

interface LoopParts {
  readonly source: CompiledNode;
  readonly test?: CompiledNode;
  /** The name of an entry. */
  readonly name?: CompiledNode;
  readonly body: CompiledNode;
}

const LEFT_OUT = Symbol("left out");

/** The body for the element in the slot, where its condition holds. */
function compileElement(
  node: LoopNode,
  { body, test }: LoopParts,
): (scope: RequestScope, frame: EvaluationFrame) => Value | Absent | typeof LEFT_OUT {
  return (scope, frame) => {
    frame.looks -= 1;
    if (frame.looks < 0) return exceedsWorkLimit(node);
    const wanted = test ? truthOf(test(scope, frame), node) : true;
    if (wanted instanceof Absent) return wanted.kind === "missing" ? LEFT_OUT : wanted;
    return wanted ? body(scope, frame) : LEFT_OUT;
  };
}

const failure = (node: ValueNode, message: string): Absent =>
  new Absent("failed", message, node.range);
