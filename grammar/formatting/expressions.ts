/**
 * How expressions are laid out. A bracket that its author opened onto a new line is broken, one element a line; so is one
 * that does not fit, and a chain of operators with a line end before any of them.
 */
import { PRECEDENCE } from "../reading/nodes.js";
import type {
  Binary,
  CallArgument,
  CallExpression,
  Comprehension,
  Conditional,
  ExpressionNode,
  ListLiteral,
  ObjectEntry,
  ObjectLiteral,
} from "../tree.js";
import type { Cursor } from "./cursor.js";
import { type Doc, group, hard, ifBroken, indent, isBroken, line, soft } from "./doc.js";
import { rows } from "./rows.js";

/** Lays out an expression whose tokens come next. `end`: where the last of them ends. */
export function layOut(cursor: Cursor, expression: ExpressionNode, end = expression.end): Doc {
  const innerEnd = cursor.enclosedEnd(end);
  if (innerEnd !== undefined) return bracketed(cursor, () => layOut(cursor, expression, innerEnd));
  switch (expression.kind) {
    case "unary":
      return [cursor.take(), layOut(cursor, expression.operand)];
    case "binary":
      return chain(cursor, expression);
    case "conditional":
      return conditional(cursor, expression);
    case "member":
      return [layOut(cursor, expression.object), cursor.take(), cursor.take()];
    case "index": {
      const { object, index } = expression;
      const inside = () => (index ? layOut(cursor, index) : cursor.take());
      return [layOut(cursor, object), bracketed(cursor, inside)];
    }
    case "call":
      return call(cursor, expression);
    case "list":
      return list(cursor, expression);
    case "comprehension":
      return comprehension(cursor, expression);
    case "object":
      return object(cursor, expression);
    default:
      return cursor.take();
  }
}

/** One thing in brackets. */
function bracketed(cursor: Cursor, inside: () => Doc): Doc {
  const open = cursor.take();
  const broken = cursor.isBelow;
  const comments = [cursor.behind() ?? "", indent([soft, commentsAbove(cursor)])];
  const content = [comments, indent(inside())];
  return closed(cursor, [open, content], broken);
}

/** A bracket with its content and what comes next: comments, which break it, and the closing bracket. */
function closed(cursor: Cursor, content: Doc, broken: boolean, edge = soft): Doc {
  const { hasComment } = cursor;
  const behind = cursor.behind() ?? "";
  const above = cursor.above().map(({ text }) => [hard, text]);
  return group([content, behind, indent(above), edge, cursor.take()], broken || hasComment);
}

function commentsAbove(cursor: Cursor): Doc {
  return cursor.above().map(({ text }) => [text, hard]);
}

function list(cursor: Cursor, { items }: ListLiteral): Doc {
  return row(
    cursor,
    items,
    (item) => layOut(cursor, item),
    (docs) => (docs.length > 1 ? docs.some(isBroken) : false),
  );
}

function call(cursor: Cursor, { callee, arguments: given }: CallExpression): Doc {
  return [layOut(cursor, callee), layOutArguments(cursor, given)];
}

/** Lays out arguments whose opening bracket comes next. */
export function layOutArguments(cursor: Cursor, given: readonly CallArgument[]): Doc {
  const layOutArgument = (argument: CallArgument): Doc => [
    argument.name === undefined ? "" : [cursor.take(), " ", cursor.take(), " "],
    layOut(cursor, argument.value),
  ];
  return row(cursor, given, layOutArgument, (docs) => docs.slice(0, -1).some(isBroken));
}

/** Elements or arguments in their brackets. `spread`: whether these, as they are, have to stand below each other. */
function row<Thing>(
  cursor: Cursor,
  things: readonly Thing[],
  layOutThing: (thing: Thing) => Doc,
  spread: (docs: readonly Doc[]) => boolean,
): Doc {
  const open = cursor.take();
  const openedBelow = cursor.isBelow;
  const behind = cursor.behind();
  const docs: Doc[] = [];
  const { content, haveComments } = rows(cursor, things, {
    layOut: (thing) => {
      const doc = layOutThing(thing);
      docs.push(doc);
      return doc;
    },
    between: ",",
    behindLast: ifBroken(","),
  });
  const close = cursor.take();
  if (things.length === 0 && !haveComments && behind === undefined) return [open, close];
  const broken = openedBelow || haveComments || behind !== undefined || spread(docs);
  return group([open, behind ?? "", indent([soft, content]), soft, close], broken);
}

function object(cursor: Cursor, { entries }: ObjectLiteral): Doc {
  const open = cursor.take();
  const openedBelow = cursor.isBelow;
  const behind = cursor.behind();
  const layOutEntry = ({ value }: ObjectEntry): Doc => [
    cursor.take(),
    " ",
    cursor.take(),
    " ",
    layOut(cursor, value),
  ];
  const { content, haveComments } = rows(cursor, entries, {
    layOut: layOutEntry,
    between: ",",
    behindLast: ifBroken(","),
  });
  const close = cursor.take();
  if (entries.length === 0 && !haveComments && behind === undefined) return [open, close];
  const broken = openedBelow || haveComments || behind !== undefined;
  return group([open, behind ?? "", indent([line, content]), line, close], broken);
}

/** `[for name in values if test: result]`, `{ for name in values: key => result }`. */
function comprehension(cursor: Cursor, { key, iterable, test, name, body }: Comprehension): Doc {
  const open = cursor.take();
  const edge = name ? line : soft;
  let broken = cursor.isBelow;
  const head: Doc[] = [cursor.behind() ?? "", edge, commentsAbove(cursor)];
  head.push(cursor.take(), " ");
  if (key) head.push(cursor.take(), ", ");
  for (let word = 0; word < 2; word++) head.push(cursor.take(), " ");
  head.push(layOut(cursor, iterable));
  if (test) head.push(" ", cursor.take(), " ", layOut(cursor, test));
  head.push(cursor.take());
  broken ||= cursor.hasComment;
  head.push(cursor.behind() ?? "");
  const entry = name ? [layOut(cursor, name), " ", cursor.take(), " "] : [];
  const result = [entry, layOut(cursor, body)];
  return closed(cursor, [open, indent([head, indent([line, result])])], broken, edge);
}

/** `a && b && c`: operators of one precedence are broken all together, each before its operand. */
function chain(cursor: Cursor, top: Binary): Doc {
  const precedence = PRECEDENCE[top.operator];
  const links: Binary[] = [top];
  let first = top.left;
  while (
    first.kind === "binary" &&
    PRECEDENCE[first.operator] === precedence &&
    cursor.enclosedEnd(first.end) === undefined
  ) {
    links.push(first);
    first = first.left;
  }
  const start = layOut(cursor, first);
  let broken = false;
  const rest = links.reverse().map(({ right }): Doc => {
    broken ||= cursor.isBelow;
    return [operator(cursor), " ", layOut(cursor, right)];
  });
  return group([start, indent(rest)], broken);
}

/** `test ? this : that`, and what follows if `that` is another one. */
function conditional(cursor: Cursor, first: Conditional): Doc {
  const test = layOut(cursor, first.test);
  const ways: Doc[] = [];
  let broken = false;
  const way = (doc: () => Doc) => {
    broken ||= cursor.isBelow;
    ways.push([operator(cursor), " ", doc()]);
  };
  let node: Conditional = first;
  for (;;) {
    const { consequent, alternate } = node;
    way(() => layOut(cursor, consequent));
    const goesOn = alternate.kind === "conditional";
    if (!goesOn) {
      way(() => layOut(cursor, alternate));
      break;
    }
    broken ||= cursor.isBelow;
    const colon = operator(cursor);
    if (cursor.enclosedEnd(alternate.end) !== undefined) {
      ways.push([colon, " ", layOut(cursor, alternate)]);
      break;
    }
    ways.push([colon, " ", layOut(cursor, alternate.test)]);
    node = alternate;
  }
  return group([test, indent(ways)], broken);
}

/** An operator at the beginning of its line, below the comments before it. */
function operator(cursor: Cursor): Doc {
  const behind = cursor.behind() ?? "";
  const above = cursor.above().flatMap(({ text }): Doc[] => [hard, text]);
  return [behind, above, line, cursor.take()];
}
