// The mutation operators: from compiled JavaScript to every small change of its behavior, as replaced ranges. What no test may
// observe is left out: texts of logs and errors, what the compiler adds, chosen limits, and whether a timer keeps the process alive.
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
/** Methods of a logger; their calls are for readers. */
const LOG_LEVELS = new Set(["trace", "debug", "info", "warn", "error", "fatal"]);
const LOGGER = /(?:^|[.#])(?:log|logger)$/;

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
  const negate = ({ test }) => {
    // Another operator already makes the opposite of these.
    const isTwin = test?.operator === "===" || test?.operator === "!==" || test?.operator === "!";
    if (test && !isTwin) add(test, `!(${source(test)})`, "negated condition");
  };
  const unobserved = unobservedRanges(program, source);
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
      // Of `false` there is the other boolean; readers of the rest ask whether there is something.
      if (node.argument && !isNothing(node.argument))
        add(node, "return undefined;", "return of nothing");
    },
  }).visit(program);
  return mutants.filter(
    ({ start, end }) => !unobserved.some((range) => range.start <= start && end <= range.end),
  );
}

function unobservedRanges(program, source) {
  const ranges = [];
  const leaveOut = (node) => ranges.push(node);
  new Visitor({
    // A named number is a choice: a limit, a size, a time. 0 and 1 are where something starts.
    VariableDeclarator: ({ id, init }) => {
      const isConstant = id.type === "Identifier" && /^[A-Z][A-Z\d_]+$/.test(id.name);
      if (init && (isConstant || isNumber(init))) leaveOut(init);
    },
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name.endsWith("Error"))
        for (const argument of node.arguments) leaveOut(argument);
    },
    ExpressionStatement: (node) => {
      const { expression } = node;
      const called = expression.type === "ChainExpression" ? expression.expression : expression;
      if (called.type !== "CallExpression") return;
      const { callee } = called;
      if (callee.type !== "MemberExpression") return;
      const method = callee.property.name;
      const logs = LOG_LEVELS.has(method) && LOGGER.test(source(callee.object));
      if (logs || method === "unref") leaveOut(node);
    },
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name.startsWith("__")) leaveOut(node);
    },
    AssignmentExpression: (node) => {
      const isDecorated = /^__(decorate|metadata|param)\b/.test(source(node.right));
      if (isDecorated) leaveOut(node);
    },
    VariableDeclaration: (node) => {
      if (/^var __(decorate|metadata|param)\b/.test(source(node))) leaveOut(node);
    },
  }).visit(program);
  return ranges;
}

const isNothing = (node) =>
  (node.type === "Literal" && !node.value) ||
  (node.type === "Identifier" && node.name === "undefined");
/** A literal or a product of literals: `5 * 60_000`. */
const isNumber = (node) =>
  node.type === "BinaryExpression"
    ? isNumber(node.left) && isNumber(node.right)
    : node.type === "Literal" && typeof node.value === "number" && node.value > 1;
const isText = (node) =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
