// The mutation operators: from compiled JavaScript to every small change of its behaviour, as replaced ranges.
import { parseSync, Visitor } from "oxc-parser";

const SWAPPED = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["&&", "||"],
  ["||", "&&"],
]);

/** Every mutant of a module: `{ start, end, text, operator }`, in UTF-16 offsets. */
export function mutantsOf(code) {
  const { program, errors } = parseSync("module.js", code);
  if (errors.length > 0) throw new Error(errors[0].message);
  const mutants = [];
  const add = (node, text, operator) =>
    mutants.push({ start: node.start, end: node.end, text, operator });
  const source = (node) => code.slice(node.start, node.end);
  const swap = (node) => {
    const other = SWAPPED.get(node.operator);
    // `+` may join texts; a difference of texts is no small change.
    if (other === undefined || [node.left, node.right].some(isText)) return;
    const between = code.slice(node.left.end, node.right.start);
    const at = node.left.end + between.indexOf(node.operator);
    add({ start: at, end: at + node.operator.length }, other, `${node.operator} → ${other}`);
  };
  const negate = ({ test }) => test && add(test, `!(${source(test)})`, "negated condition");
  new Visitor({
    BinaryExpression: swap,
    LogicalExpression: swap,
    IfStatement: negate,
    ConditionalExpression: negate,
    WhileStatement: ({ test }) => add(test, "false", "loop that never runs"),
    UnaryExpression: (node) => {
      if (node.operator === "!") add(node, `(${source(node.argument)})`, "removed !");
    },
    Literal: (node) => {
      if (typeof node.value === "boolean") add(node, String(!node.value), "other boolean");
      if (typeof node.value === "number") add(node, `(${node.raw} + 1)`, "number + 1");
    },
    ExpressionStatement: (node) => {
      const { expression } = node;
      const called = expression.type === "AwaitExpression" ? expression.argument : expression;
      const isSuper = called.type === "CallExpression" && called.callee.type === "Super";
      if (called.type === "CallExpression" && !isSuper) add(node, ";", "removed call");
      if (called.type === "AssignmentExpression") add(node, ";", "removed assignment");
    },
    ReturnStatement: (node) => {
      if (node.argument) add(node, "return undefined;", "return of nothing");
    },
  }).visit(program);
  return mutants;
}

const isText = (node) =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
