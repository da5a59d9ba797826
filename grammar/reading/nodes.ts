/**
 * Nodes that are made from a flat row of parts. The grammar reads `a + b * c` and `a.b[c](d)` without recursion, which is
 * fast and keeps the stack flat; here the rows become trees.
 */
import type { Mistake, ReportMistake } from "../mistakes/mistake.js";
import { unquoted } from "../mistakes/unquoted.js";
import type {
  Binary,
  BinaryOperator,
  Body,
  CallArgument,
  ExpressionNode,
  If,
  Item,
  Name,
  ParameterNode,
  Span,
  UnaryOperator,
} from "../tree.js";
import { match } from "./lexemes.js";
import { numberMistake, readNumber } from "./numbers.js";

/** Higher binds tighter. */
export const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  "??": 1,
  "||": 2,
  "&&": 3,
  "==": 4,
  "!=": 4,
  "=~": 4,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  in: 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  "%": 7,
};

export interface Operation {
  readonly operator: BinaryOperator;
  readonly start: number;
  readonly right: ExpressionNode;
}

/** Without the room for more that a list keeps which grew: a tree lives as long as its configuration. */
export const exact = <Item>(list: readonly Item[]): readonly Item[] => list.slice();

/** `first op right op right …` by precedence, left to right among equals: the shunting-yard method, without recursion. */
export function chain(first: ExpressionNode, operations: readonly Operation[]): ExpressionNode {
  const operands: ExpressionNode[] = [first];
  const pending: Operation[] = [];
  for (const operation of operations) {
    const precedence = PRECEDENCE[operation.operator];
    for (
      let top = pending.at(-1);
      top && PRECEDENCE[top.operator] >= precedence;
      top = pending.at(-1)
    ) {
      pending.pop();
      reduce(operands, top);
    }
    pending.push(operation);
    operands.push(operation.right);
  }
  for (let top = pending.pop(); top; top = pending.pop()) reduce(operands, top);
  return operands[0] ?? first;
}

function reduce(operands: ExpressionNode[], { operator, start }: Operation): void {
  const right = operands.pop();
  const left = operands.pop();
  if (left === undefined || right === undefined) return;
  const node: Binary = {
    kind: "binary",
    start: left.start,
    end: right.end,
    operator,
    operatorStart: start,
    left,
    right,
  };
  operands.push(node);
}

/** `else if test { … }`. */
interface ElseIf {
  readonly start: number;
  readonly test: ExpressionNode;
  readonly body: Body;
}

/** `if … { … } else if … { … } else { … }`: each `else if` is the only item of the alternate before it. */
export function ifChain(
  start: number,
  test: ExpressionNode,
  consequent: Body,
  branches: readonly ElseIf[],
  alternate: Body | null,
): If {
  const last = branches.reduceRight<Body | null>((otherwise, { start: at, test: inner, body }) => {
    const item = ifNode(at, inner, body, otherwise);
    return { start: at, end: item.end, items: [item] };
  }, alternate);
  return ifNode(start, test, consequent, last);
}

function ifNode(start: number, test: ExpressionNode, consequent: Body, alternate: Body | null): If {
  const { end } = alternate ?? consequent;
  return { kind: "if", start, end, test, consequent, ...(alternate && { alternate }) };
}

export interface Branch {
  readonly consequent: ExpressionNode;
  readonly alternate: ExpressionNode;
}

/** `a ? b : c ? d : e`: the last branch is innermost. */
export function conditional(first: ExpressionNode, branches: readonly Branch[]): ExpressionNode {
  return (
    branches.reduceRight<ExpressionNode | undefined>((inner, { consequent, alternate }, index) => {
      const test = index === 0 ? first : (branches[index - 1]?.alternate ?? first);
      const last = inner ?? alternate;
      return {
        kind: "conditional",
        start: test.start,
        end: last.end,
        test,
        consequent,
        alternate: last,
      };
    }, undefined) ?? first
  );
}

export interface Sign {
  readonly operator: UnaryOperator;
  readonly start: number;
}

/** `!!a`, `-a`: the last sign is innermost. */
export function prefixed(signs: readonly Sign[], operand: ExpressionNode): ExpressionNode {
  return signs.reduceRight<ExpressionNode>(
    (inner, { operator, start }) => ({
      kind: "unary",
      start,
      end: inner.end,
      operator,
      operand: inner,
    }),
    operand,
  );
}

/** What can follow a value: `.name`, `[index]`, `[*]`, `(arguments)`. */
export type Suffix =
  | { readonly kind: "member"; readonly end: number; readonly name: Name }
  | { readonly kind: "index"; readonly end: number; readonly index: ExpressionNode | undefined }
  | { readonly kind: "call"; readonly end: number; readonly arguments: readonly CallArgument[] }
  /** Skipped because it is nested too deeply. */
  | { readonly kind: "unreadable"; readonly end: number };

export function suffixed(value: ExpressionNode, suffixes: readonly Suffix[]): ExpressionNode {
  let node = value;
  const { start } = value;
  for (const suffix of suffixes) {
    const { end } = suffix;
    if (suffix.kind === "unreadable") node = bad(start, end);
    else if (suffix.kind === "member") {
      node = { kind: "member", start, end, object: node, name: suffix.name };
    } else if (suffix.kind === "call") {
      node = { kind: "call", start, end, callee: node, arguments: suffix.arguments };
    } else if (suffix.index) {
      node = { kind: "index", start, end, object: node, index: suffix.index };
    } else {
      node = { kind: "index", start, end, object: node };
    }
  }
  return node;
}

/** A word in an expression: one of three constants, else a name. */
export function word(text: string, start: number, end: number): ExpressionNode {
  switch (text) {
    case "true":
      return { kind: "boolean", start, end, value: true };
    case "false":
      return { kind: "boolean", start, end, value: false };
    case "null":
      return { kind: "null", start, end };
    default:
      return { kind: "name", start, end, text };
  }
}

/** An address or a version. */
const DOTTED = /^[0-9]+(?:\.[0-9A-Za-z]+){2,}$/;
const DATE = /[0-9]{4}-[0-9]{2}-[0-9]{2}/y;

/** Anything that begins with a digit. */
export function numberNode(
  text: string,
  start: number,
  end: number,
  report: ReportMistake,
): ExpressionNode {
  const value = readNumber(text.slice(start, end));
  switch (value.kind) {
    case "number":
      return { kind: "number", start, end, value: value.value };
    case "duration":
      return { kind: "duration", start, end, milliseconds: value.milliseconds };
    case "size":
      return { kind: "size", start, end, bytes: value.bytes };
    case "percent":
      return { kind: "percent", start, end, ratio: value.ratio };
    case "fault":
      report(unquotedText(text, start, end) ?? numberMistake(value, start, end));
      return bad(start, end);
  }
}

/** Text that begins with digits and lacks its quotes; in a date it is the month that fails as a number. */
function unquotedText(text: string, start: number, end: number): Mistake | undefined {
  if (DOTTED.test(text.slice(start, end))) return unquoted(text, start).complaint;
  const year = start - "2026-".length;
  return year >= 0 && match(DATE, text, year) > 0 ? unquoted(text, year).complaint : undefined;
}

export function bad(start: number, end: number): ExpressionNode {
  return { kind: "bad_expression", start, end };
}

/** The same expression, its place widened to the parentheses around it. */
export function enclosed(expression: ExpressionNode, { start, end }: Span): ExpressionNode {
  return { ...expression, start, end };
}

export function parameter(
  span: Span,
  name: Name,
  type: Name | null,
  value: ExpressionNode | null,
): ParameterNode {
  return { kind: "param", ...span, name, ...(type && { type }), ...(value && { value }) };
}

/** An item with its doc comment and its `/-`. */
export function dressed(item: Item, doc: string | undefined, disabled: boolean): Item {
  if (doc === undefined && !disabled) return item;
  return { ...item, ...(disabled && { disabled: true }), ...(doc !== undefined && { doc }) };
}
