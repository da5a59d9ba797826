/** Explains the result of an expression: every evaluated part with its value. */
import { type Explanation, type Range } from "../../plugin-api/values.js";
import { renderValue } from "../values/render.js";
import { type Value, type ValueNode } from "../values/value.js";
import { compileExpression } from "./compile.js";
import { childrenOf, holdsSecret } from "./nodes.js";
import { sourceName } from "./source-name.js";
import { Absent, type EvaluationFrame, type RequestScope } from "./step.js";

export interface Question {
  readonly scope: RequestScope;
  readonly frame: EvaluationFrame;
  /** The text at a place; `undefined` where the place is outside the expression: a folded `let`, a default. */
  readonly textOf: (range: Range) => string | undefined;
}

export function explainNode(node: ValueNode, question: Question): Explanation {
  const value = compileExpression(node)(question.scope, question.frame);
  return {
    text: (question.textOf(node.range) ?? sourceName(node)).replace(/\s+/g, " "),
    outcome: outcomeOf(value, holdsSecret(node)),
    parts: reached(node, question).flatMap((part) =>
      part.op === "constant" ? [] : [explainNode(part, question)],
    ),
  };
}

function outcomeOf(value: Value | Absent, masked: boolean): string {
  if (value instanceof Absent) {
    if (value.kind === "missing") return "missing";
    return masked ? "error" : `error: ${value.message}`;
  }
  return masked ? "(secret)" : renderValue(value);
}

/**
 * The evaluated parts, except those that would reveal a secret. Parts inside a `for` differ for every element and are
 * left out.
 */
function reached(node: ValueNode, question: Question): readonly ValueNode[] {
  const outcome = (part: ValueNode) => compileExpression(part)(question.scope, question.frame);
  switch (node.op) {
    case "binary": {
      if (isChoice(node.operator) && holdsSecret(node.left)) return [];
      if (node.operator === "&&" || node.operator === "||") {
        return outcome(node.left) === (node.operator === "||")
          ? [node.left]
          : [node.left, node.right];
      }
      if (node.operator !== "??") return [node.left, node.right];
      const left = outcome(node.left);
      const empty = left === null || (left instanceof Absent && left.kind === "missing");
      return empty ? [node.left, node.right] : [node.left];
    }
    case "conditional": {
      if (holdsSecret(node.test)) return [];
      const test = outcome(node.test);
      if (typeof test !== "boolean") return [node.test];
      return [node.test, test ? node.consequent : node.alternate];
    }
    case "index":
      return node.key.op === "constant" ? [] : [node.key];
    case "every":
      return [node.object];
    case "for":
      return [node.iterable];
    default:
      return childrenOf(node);
  }
}

const isChoice = (operator: string): boolean =>
  operator === "&&" || operator === "||" || operator === "??";
