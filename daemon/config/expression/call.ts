/** Calls inside run-time expressions. */
import { functions } from "../functions/functions.js";
import { parameterAt } from "../functions/signature.js";
import { describeKind, describeType } from "../types/describe.js";
import { holds } from "../types/value-type.js";
import { type Value, type ValueNode } from "../values/value.js";
import { Absent, type CompiledNode, effort, exceedsWorkLimit, guarded } from "./step.js";

type CallNode = Extract<ValueNode, { op: "call" }>;

/** A call whose arguments are compiled. */
export function compileCall(node: CallNode, steps: readonly CompiledNode[]): CompiledNode {
  if (node.name === "coalesce") {
    return (scope, frame) => {
      let last: Value | Absent = null;
      for (const step of steps) {
        last = step(scope, frame);
        const empty = last === null || (last instanceof Absent && last.kind === "missing");
        if (!empty) return last;
      }
      return last;
    };
  }
  if (node.name === "try") {
    const [attempt, otherwise] = steps as [CompiledNode, CompiledNode];
    return (scope, frame) => {
      const value = attempt(scope, frame);
      return value instanceof Absent ? otherwise(scope, frame) : value;
    };
  }
  if (node.name === "defined") {
    const [step] = steps as [CompiledNode];
    return (scope, frame) => !(step(scope, frame) instanceof Absent);
  }
  return compilePlainCall(node, steps);
}

function compilePlainCall(node: CallNode, steps: readonly CompiledNode[]): CompiledNode {
  const signature = functions.get(node.name);
  const apply = signature?.apply as ((...args: Value[]) => Value) | undefined;
  if (!signature || !apply) {
    const unknown = new Absent("failed", `there is no function \`${node.name}\``, node.range);
    return () => unknown;
  }
  const types = steps.map((_, index) => parameterAt(signature, index)?.type);
  return (scope, frame) => {
    const values: Value[] = [];
    for (const [index, step] of steps.entries()) {
      const value = step(scope, frame);
      if (value instanceof Absent) return value;
      const type = types[index];
      if (type && !holds(type, value)) {
        return new Absent(
          "failed",
          `\`${node.name}\` wants ${describeType(type)}, not ${describeKind(value)}`,
          (node.arguments[index] ?? node).range,
        );
      }
      frame.looks -= effort(value);
      values.push(value);
    }
    if (frame.looks < 0) return exceedsWorkLimit(node);
    return guarded(node, () => apply(...values));
  };
}
