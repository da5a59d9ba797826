/** One more domain in the list of a `sandbox` block, as somebody would write it: nothing else of the text changes. */
import type { BlockNode, ExpressionNode, Item, TextEdit } from "../../../grammar/index.js";
import { applyFixes, parse } from "../../../grammar/index.js";

/** The new text, or why there is none: the end of a sentence. */
export type Edited = { readonly text: string } | { readonly refused: string };

/** Whether a text has the block at all, whoever made it. */
export const hasSandbox = (text: string, name: string): boolean =>
  blocksIn(parse({ path: "", text }).tree.items, name).length > 0;

export function withAllowed(text: string, name: string, domain: string): Edited {
  const { tree } = parse({ path: "", text });
  const [block, ...others] = blocksIn(tree.items, name);
  if (block === undefined || others.length > 0)
    return { refused: "it is not written as one block there" };
  const allow = block.body.items.find(
    (item) => item.kind === "attribute" && item.name.text === "allow" && !item.disabled,
  );
  const quoted = JSON.stringify(domain);
  if (allow?.kind !== "attribute")
    return { text: applyFixes(text, [[inNewList(text, block, quoted)]]) };
  const { value } = allow;
  if (value.kind !== "list")
    return { refused: "its `allow` is computed and not a list that is written out" };
  if (value.items.some((item) => item.kind === "string" && item.value === domain))
    return { refused: `its \`allow\` has \`${domain}\` already` };
  return { text: applyFixes(text, [[inList(text, value, quoted)]]) };
}

/** At the top of the file: what stands in a loop, a mixin or a condition is not one block, or not always. */
function blocksIn(items: readonly Item[], name: string): readonly BlockNode[] {
  return items.filter(
    (item): item is BlockNode =>
      item.kind === "block" &&
      !item.disabled &&
      item.type.length === 1 &&
      item.type[0].text === "sandbox" &&
      item.labels.length === 1 &&
      item.labels[0]?.kind === "string" &&
      item.labels[0].value === name,
  );
}

function inNewList(text: string, { start, body }: BlockNode, quoted: string): TextEdit {
  const own = indentOf(text, start);
  const at = body.start + 1;
  const attribute = `\n${own}  allow = [${quoted}]`;
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
