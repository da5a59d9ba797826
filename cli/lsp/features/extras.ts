/** Formatting, links, and the values of names shown in the text. */

import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DocumentLink, InlayHint, Range, TextEdit } from "vscode-languageserver-protocol";
import { NoValue } from "../../../daemon/config/evaluate/outcome.js";
import { renderValue } from "../../../daemon/config/values/render.js";
import type { Value } from "../../../daemon/config/values/value.js";
import { format } from "../../../grammar/index.js";
import type { BlockNode, CallExpression, StringLiteral } from "../../../grammar/tree.js";
import type { TextDocument } from "../language/document.js";
import {
  childrenOf,
  insideQuotes,
  kindOf,
  type TreeNode,
  writtenKind,
} from "../language/syntax.js";
import type { Project } from "../project.js";
import { uriOf } from "./navigation.js";

/** One edit of the changed lines; none where the text is formatted or has syntax errors. */
export function formattingEdits(document: TextDocument): TextEdit[] {
  if (document.isJson) return [];
  const { text } = format(document.text);
  if (text === undefined || text === document.text) return [];
  const before = document.text;
  let start = 0;
  while (start < before.length && before[start] === text[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, text.length) - start;
  while (end < most && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  const range = document.rangeOf({ start, end: before.length - end });
  return [{ range, newText: text.slice(start, text.length - end) }];
}

/** Imports, `file("…")` and programs by a relative path; only what exists. */
export function documentLinks(project: Project, document: TextDocument): DocumentLink[] {
  const links: DocumentLink[] = [];
  const link = (node: StringLiteral, path: string): void => {
    if (!existsSync(path) || !statSync(path).isFile()) return;
    links.push({ range: document.rangeOf(insideQuotes(document.text, node)), target: uriOf(path) });
  };
  const here = dirname(document.path);
  const visit = (node: TreeNode): void => {
    if (kindOf(node) === "call") {
      const { callee, arguments: given } = node as CallExpression;
      const first = given[0]?.value;
      if (callee.kind === "name" && callee.text === "file" && first?.kind === "string")
        link(first, resolve(here, first.value));
    } else if (kindOf(node) === "string") {
      const literal = node as StringLiteral;
      if (/^\.{1,2}\/./.test(literal.value)) link(literal, resolve(here, literal.value));
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(document.tree);
  for (const { path, node } of project.symbols(document.path)?.imports ?? [])
    if (node.path.kind === "string" && !/^\.{1,2}\//.test(node.path.value)) link(node.path, path);
  return links;
}

const SHOWN = 60;

/** The values of lets that are not literals, and the defaults of attributes that a block leaves out. */
export function inlayHints(project: Project, document: TextDocument, range: Range): InlayHint[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  const hints: InlayHint[] = [];
  const visit = (node: TreeNode): void => {
    if (node.end < start || node.start > end) return;
    if (kindOf(node) === "let") {
      const { name, value } = node as Extract<TreeNode, { kind: "let" }>;
      const known = project.letValue(document.path, name.start);
      const isLiteral =
        /^(null|boolean|number|duration|size|percent|regex|string|list|object)$/.test(value.kind);
      if (!isLiteral && known !== undefined && !(known instanceof NoValue))
        hints.push({
          position: document.positionAt(node.end),
          label: `= ${renderValue(known as Value, SHOWN)}`,
          paddingLeft: true,
        });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(document.tree);
  for (const block of topBlocks(document))
    hints.push(...defaultsOf(project, document, block, { start, end }));
  return hints;
}

const topBlocks = (document: TextDocument): readonly BlockNode[] =>
  document.tree.items.filter((item) => item.kind === "block");

function defaultsOf(
  project: Project,
  document: TextDocument,
  block: BlockNode,
  { start, end }: { readonly start: number; readonly end: number },
): readonly InlayHint[] {
  const descriptor = project.vocabulary.block([writtenKind(block)]);
  if (!descriptor || block.start < start || block.start > end) return [];
  const given = new Set(
    block.body.items.map((item) => (item.kind === "attribute" ? item.name.text : "")),
  );
  const missing = Object.entries(descriptor.attributes).flatMap(
    ([name, { default: text, removed }]) =>
      text === undefined || removed || given.has(name) ? [] : [`${name} = ${text}`],
  );
  if (missing.length === 0 || block.body.items.some(({ kind }) => kind === "use")) return [];
  return [
    {
      position: document.positionAt(block.body.start + 1),
      label: `${missing.length} defaults`,
      tooltip: { kind: "markdown", value: `\`\`\`reeve\n${missing.join("\n")}\n\`\`\`` },
      paddingLeft: true,
    },
  ];
}
