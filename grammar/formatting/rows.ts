import type { Comment, Cursor } from "./cursor.js";
import { type Doc, emptyLine, hard, line } from "./doc.js";

/** Things that stand below each other when there is not room for all on one line: items, elements, arguments, entries. */
export interface Rows {
  readonly content: Doc;
  /** A comment is among them, so they cannot be on one line. */
  readonly haveComments: boolean;
}

interface RowStyle<Thing> {
  readonly layOut: (thing: Thing) => Doc;
  /** What stands between two of them, and behind the last. */
  readonly between: Doc;
  readonly behindLast: Doc;
  /** Whether these two neighbours have an empty line between them, whatever their author did. */
  readonly keepApart?: (before: Doc, after: Doc, things: readonly [Thing, Thing]) => boolean;
}

/** Lays out things up to the closing bracket or the end of the text. Comments stay where they are. */
export function rows<Thing>(
  cursor: Cursor,
  things: readonly Thing[],
  { layOut, between, behindLast, keepApart }: RowStyle<Thing>,
): Rows {
  const content: Doc[] = [];
  let haveComments = false;
  let previous: { readonly thing: Thing; readonly doc: Doc } | undefined;
  for (const [index, thing] of things.entries()) {
    const above = cursor.above();
    const { isApart } = cursor;
    const doc = layOut(thing);
    const apart = previous && keepApart?.(previous.doc, doc, [previous.thing, thing]);
    const alreadyApart = isApart || above.some((comment) => comment.isApart);
    content.push(...lead(above, index === 0, isApart, apart === true && !alreadyApart), doc);
    content.push(index === things.length - 1 ? behindLast : between);
    const behind = cursor.behind();
    if (behind !== undefined) content.push(behind);
    haveComments ||= above.length > 0 || behind !== undefined;
    previous = { thing, doc };
  }
  const last = cursor.above();
  content.push(...tail(last, things.length === 0));
  return { content, haveComments: haveComments || last.length > 0 };
}

/** The comments above a thing and the line ends between them; `isFirst`: nothing stands before them. */
function lead(
  above: readonly Comment[],
  isFirst: boolean,
  isApart: boolean,
  forcedApart: boolean,
): readonly Doc[] {
  const docs: Doc[] = [];
  const separate = (apart: boolean) => {
    if (docs.length > 0 || !isFirst) docs.push(apart ? emptyLine : line);
  };
  for (const [index, comment] of above.entries()) {
    separate(comment.isApart || (index === 0 && forcedApart));
    docs.push(comment.text);
  }
  separate(isApart || (above.length === 0 && forcedApart));
  return docs;
}

/** Comments below the last thing. */
function tail(comments: readonly Comment[], isFirst: boolean): readonly Doc[] {
  return comments.flatMap(({ text, isApart }, index) => {
    if (index === 0 && isFirst) return [text];
    return [isApart ? emptyLine : hard, text];
  });
}
