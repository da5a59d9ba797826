/** How items and bodies are laid out. */
import type { Body, File, If, Item } from "../tree.js";
import type { Cursor } from "./cursor.js";
import {
  type Doc,
  flatWidth,
  group,
  hard,
  ifBroken,
  indent,
  isBroken,
  line,
  WIDTH,
} from "./doc.js";
import { layOut, layOutArguments } from "./expressions.js";
import { rows } from "./rows.js";

/** Lays out a whole file. `text` is asked only where its author ended lines. */
export function layOutFile(cursor: Cursor, text: string, { items }: File): Doc {
  const { content, haveComments } = itemRows({ cursor, text, depth: 0 }, items);
  return items.length > 0 || haveComments ? [content, hard] : "";
}

interface Context {
  readonly cursor: Cursor;
  readonly text: string;
  readonly depth: number;
}

/** Part of an item: laid out already, or a body of which is not yet known whether it is broken. */
type Part = Doc | { readonly kind: "body"; readonly content: Doc };

function itemRows(context: Context, items: readonly Item[]) {
  return rows(context.cursor, items, {
    layOut: (item) => layOutItem(context, item),
    between: ifBroken("", ";"),
    behindLast: "",
    keepApart: (before, after, things) =>
      things.every((item) => bodiesOf(item).length > 0) && (isBroken(before) || isBroken(after)),
  });
}

/** A body on one line stays there as long as its whole item fits; the bodies of an item are broken all or none. */
function layOutItem(context: Context, item: Item): Doc {
  const { cursor, text, depth } = context;
  const mark = item.disabled ? [cursor.take(), " "] : [];
  const parts = [...mark, ...partsOf(context, item)];
  const assemble = (broken: boolean): Doc =>
    parts.map((part) => (isBody(part) ? group(part.content, broken) : part));
  const onOneLine = bodiesOf(item).every(({ start, end }) => !hasLineEnd(text, start, end));
  const flat = assemble(false);
  const fits = onOneLine && !isBroken(flat) && 2 * depth + flatWidth(flat) <= WIDTH;
  return fits ? flat : assemble(true);
}

function partsOf(context: Context, item: Item): readonly Part[] {
  const { cursor } = context;
  const word = (): Doc[] => [cursor.take(), " "];
  const body = (content: Body): Part => layOutBody(context, content);
  switch (item.kind) {
    case "attribute":
      return [word(), word(), layOut(cursor, item.value)];
    case "let":
      return [word(), word(), word(), layOut(cursor, item.value)];
    case "param": {
      const head = [word(), cursor.take()];
      const type = item.type ? [cursor.take(), " ", cursor.take()] : "";
      const value = item.value ? [" ", word(), layOut(cursor, item.value)] : "";
      return [head, type, value];
    }
    case "import": {
      const path = [word(), cursor.take()];
      const given = item.arguments ? layOutArguments(cursor, item.arguments) : "";
      return [path, given, item.alias ? [" ", word(), cursor.take()] : ""];
    }
    case "use":
      return [word(), layOut(cursor, item.target)];
    case "mixin":
      return [word(), word(), body(item.body)];
    case "for": {
      const names = [word(), item.key ? [cursor.take(), ", "] : "", word(), word()];
      return [...names, layOut(cursor, item.iterable), " ", body(item.body)];
    }
    case "if": {
      const consequent = [word(), layOut(cursor, item.test), " ", body(item.consequent)];
      if (!item.alternate) return consequent;
      const otherwise: readonly Part[] = [cursor.strays() ?? " ", word()];
      const chained = elseIf(item.alternate);
      const alternate = chained ? partsOf(context, chained) : [body(item.alternate)];
      return [...consequent, ...otherwise, ...alternate];
    }
    case "block": {
      const type = item.type.map((_, index) =>
        index > 0 ? [cursor.take(), cursor.take()] : cursor.take(),
      );
      return [type, " ", item.labels.map(word), body(item.body)];
    }
    case "bad_item":
      return [];
  }
}

function layOutBody({ cursor, text, depth }: Context, { items }: Body): Part {
  const open = cursor.take();
  const behind = cursor.behind();
  const { content, haveComments } = itemRows({ cursor, text, depth: depth + 1 }, items);
  const close = cursor.take();
  if (items.length === 0 && !haveComments && behind === undefined) return [open, close];
  return { kind: "body", content: [open, behind ?? "", indent([line, content]), line, close] };
}

/** The `if` that follows the word `else` directly. */
function elseIf({ start, items: [first] }: Body): If | undefined {
  return first?.kind === "if" && first.start === start ? first : undefined;
}

function bodiesOf(item: Item): readonly Body[] {
  if (item.kind === "if") {
    if (!item.alternate) return [item.consequent];
    const chained = elseIf(item.alternate);
    return [item.consequent, ...(chained ? bodiesOf(chained) : [item.alternate])];
  }
  return "body" in item ? [item.body] : [];
}

function hasLineEnd(text: string, start: number, end: number): boolean {
  const lineEnd = text.indexOf("\n", start);
  return lineEnd >= 0 && lineEnd < end;
}

function isBody(part: Part): part is Extract<Part, { readonly kind: "body" }> {
  return typeof part === "object" && "kind" in part && part.kind === "body";
}
