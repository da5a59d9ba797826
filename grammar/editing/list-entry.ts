/** Adds an entry to a list attribute of a block; the rest of the text stays as it is. */
import type { TextEdit } from "../diagnostic.js";
import { applyFixes } from "../fixes.js";
import { parse } from "../parse.js";
import type { BlockNode, ExpressionNode, Item } from "../tree.js";

/** An entry for a list attribute of a block that has one label. */
export interface ListAddition {
  /** The kind of the block: `sandbox`. */
  readonly block: string;
  readonly label: string;
  readonly attribute: string;
  readonly entry: string;
}

/** The new text, or why there is none: the end of a sentence. */
export type Edited = { readonly text: string } | { readonly refused: string };

type BlockName = Pick<ListAddition, "block" | "label">;

/** Whether the text writes the block out. */
export const hasBlock = (text: string, name: BlockName): boolean =>
  blocksIn(parse({ path: "", text }).tree.items, name).length > 0;

export function withEntry(text: string, addition: ListAddition): Edited {
  const { attribute, entry } = addition;
  const { tree } = parse({ path: "", text });
  const [block, ...others] = blocksIn(tree.items, addition);
  if (block === undefined || others.length > 0)
    return { refused: "it is not written as one block there" };
  const list = block.body.items.find(
    (item) => item.kind === "attribute" && item.name.text === attribute && !item.disabled,
  );
  const quoted = JSON.stringify(entry);
  if (list?.kind !== "attribute")
    return { text: applyFixes(text, [[inNewList(text, block, `${attribute} = [${quoted}]`)]]) };
  const { value } = list;
  if (value.kind !== "list")
    return { refused: `its \`${attribute}\` is computed, not a list of literals` };
  if (value.items.some((item) => item.kind === "string" && item.value === entry))
    return { refused: `its \`${attribute}\` already has \`${entry}\`` };
  return { text: applyFixes(text, [[inList(text, value, quoted)]]) };
}

/** Only at the top level: a block in a loop, a mixin or a condition is not exactly one. */
function blocksIn(items: readonly Item[], { block, label }: BlockName): readonly BlockNode[] {
  return items.filter(
    (item): item is BlockNode =>
      item.kind === "block" &&
      !item.disabled &&
      item.type.length === 1 &&
      item.type[0].text === block &&
      item.labels.length === 1 &&
      item.labels[0]?.kind === "string" &&
      item.labels[0].value === label,
  );
}

function inNewList(text: string, { start, body }: BlockNode, assignment: string): TextEdit {
  const own = indentOf(text, start);
  const at = body.start + 1;
  const attribute = `\n${own}  ${assignment}`;
  const isOneLine = !text.slice(body.start, body.end).includes("\n");
  const rest = text.slice(at, body.end - 1).trim();
  if (!isOneLine) return { file: "", start: at, end: at, text: attribute };
  const kept = rest === "" ? "" : `\n${own}  ${rest}`;
  return { file: "", start: at, end: body.end - 1, text: `${attribute}${kept}\n${own}` };
}

function inList(
  text: string,
  { start, end, items }: Extract<ExpressionNode, { readonly kind: "list" }>,
  quoted: string,
): TextEdit {
  const last = items.at(-1);
  if (last === undefined) return { file: "", start, end, text: `[${quoted}]` };
  const tail = text.slice(last.end, end - 1);
  // Behind a comment a comma would be part of it.
  const gap = text.slice(items.at(-2)?.end ?? start + 1, last.start);
  const before = gap.includes("\n") ? `\n${indentOf(text, last.start)}` : " ";
  const comma = tail.trimStart().startsWith(",") ? "" : ",";
  const at = comma === "" ? last.end + tail.indexOf(",") + 1 : last.end;
  const after = comma === "" && gap.includes("\n") ? "," : "";
  return { file: "", start: at, end: at, text: `${comma}${before}${quoted}${after}` };
}

/** The white space before what begins its line. */
const indentOf = (text: string, at: number): string =>
  /[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
