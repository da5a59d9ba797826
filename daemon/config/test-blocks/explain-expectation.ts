/** Why an expectation came out as it did: its parts with their values, one line each, indented by depth. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { Explanation } from "../../plugin-api/values.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationContext } from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { renderValue } from "../values/render.js";

/** Lines shown at most; a test that needs more should be several. */
const LINES = 24;

/** `place` narrows a list down to the element that failed. */
export function explainExpectation(
  node: tree.ExpressionNode,
  location: SourceLocation,
  context: EvaluationContext,
): readonly string[] {
  const narrowed = elementAt(node, location);
  const silent: EvaluationContext = {
    ...context,
    uses: new Dependencies(),
    report: () => undefined,
  };
  const lines = linesOf(explain(narrowed ?? node, silent), "");
  return lines.length > LINES ? [...lines.slice(0, LINES - 1), "…"] : lines;
}

function elementAt(
  node: tree.ExpressionNode,
  location: SourceLocation,
): tree.ExpressionNode | undefined {
  if (node.start === location.start && node.end === location.end) return node;
  if (node.kind !== "list") return undefined;
  return node.items.map((item) => elementAt(item, location)).find((found) => found !== undefined);
}

function linesOf(explanation: Explanation, indent: string): readonly string[] {
  const { text, outcome, parts } = explanation;
  const short = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return [
    `${indent}${short}  →  ${outcome}`,
    ...parts.flatMap((part) => linesOf(part, `${indent}  `)),
  ];
}

/** A part and everything in it whose value is not plain to see. */
function explain(node: tree.ExpressionNode, context: EvaluationContext): Explanation {
  const outcome = context.world.evaluate(node, context);
  const text = context.scope.unit.text.slice(node.start, node.end).replace(/\s+/g, " ");
  const requested = node.kind === "call" ? explainCall(node, context) : undefined;
  return {
    text,
    outcome: outcome instanceof NoValue ? outcome.kind : renderValue(outcome),
    parts: [
      ...partsOf(node).flatMap((part) => (isPlain(part) ? [] : [explain(part, context)])),
      ...(requested ? [requested] : []),
    ].filter(isInformative),
  };
}

/** A block stands for itself, and what only a function can look at has no value of its own. */
const isInformative = ({ text, outcome }: Explanation): boolean =>
  outcome !== text && outcome !== "broken";

/** What a test function knows about its answer. */
function explainCall(
  node: tree.CallExpression,
  context: EvaluationContext,
): Explanation | undefined {
  if (node.callee.kind !== "name") return undefined;
  return context.world.testFunctionsIn(context.scope)?.explain(node, node.callee.text, context);
}

function isPlain(node: tree.ExpressionNode): boolean {
  if (/^(null|boolean|number|duration|size|percent|regex|string)$/.test(node.kind)) return true;
  return node.kind === "list" && node.items.every(isPlain);
}

function partsOf(node: tree.ExpressionNode): readonly tree.ExpressionNode[] {
  switch (node.kind) {
    case "unary":
      return [node.operand];
    case "binary":
      return [node.left, node.right];
    case "conditional":
      return [node.test, node.consequent, node.alternate];
    case "call":
      return node.arguments.map((argument) => argument.value);
    case "template":
      return node.parts.flatMap((part) => (part.kind === "hole" ? [part.expression] : []));
    case "list":
      return node.items;
    case "comprehension":
      return [node.iterable];
    default:
      return [];
  }
}
