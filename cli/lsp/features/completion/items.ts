/** Statements: blocks, attributes, labels, mixins. */
import { CompletionItemKind } from "vscode-languageserver-protocol";
import type { BlockDescriptor } from "../../../../daemon/plugin-api/descriptor.js";
import type { CursorContext } from "../../language/cursor-context.js";
import { alternativesOf } from "../../language/schema.js";
import { aboutAttribute, aboutBlock } from "../documentation.js";
import {
  aliases,
  aliasTarget,
  type CompletionPoint,
  definitions,
  markdown,
  quoted,
  type Suggestion,
} from "./names.js";
import { attributeSnippet, blockSnippet } from "./snippets.js";

const keyword = (label: string, snippet: string, detail: string): Suggestion => ({
  label,
  snippet,
  detail,
  kind: CompletionItemKind.Keyword,
  sortText: `8${label}`,
});

const structure: readonly Suggestion[] = [
  keyword("let", "let ${1:name} = $0", "a named value"),
  keyword("for", "for ${1:item} in ${2:list} {\n\t$0\n}", "repeats items for each element"),
  keyword("if", "if ${1:condition} {\n\t$0\n}", "items under a condition"),
  keyword("use", "use mixin.$0", "adds the items of a mixin"),
];
const parameter = keyword("param", "param ${1:name}: ${2:string}", "a value that the user gives");
const topLevel: readonly Suggestion[] = [
  parameter,
  keyword("import", 'import "./$0"', "reads other files"),
  keyword("mixin", 'mixin "${1:name}" {\n\t$0\n}', "items to use in several blocks"),
];

export function items(at: CompletionPoint): readonly Suggestion[] {
  const { path } = at.cursor;
  const { bodies, mixin } = at.context;
  if (path.length > 0) return kindsUnder(at, path.join("."));
  if (mixin !== undefined) {
    const blocks = blocksUsing(at, mixin);
    return [...blocks.flatMap((block) => itemsOf(at, block)), ...structure, parameter];
  }
  const inside = bodies.filter(({ kind }) => !/^(for|if|else)$/.test(kind));
  const { block } = at.context;
  if (block) return [...itemsOf(at, block), ...structure];
  if (inside.length > 0) return structure;
  return [...kindsUnder(at, ""), ...structure, ...topLevel];
}

function kindsUnder(at: CompletionPoint, prefix: string): readonly Suggestion[] {
  return [...at.project.vocabulary.kinds].flatMap(([kind, descriptor]) => {
    if (prefix !== "" && !kind.startsWith(`${prefix}.`)) return [];
    const label = prefix === "" ? kind : kind.slice(prefix.length + 1);
    return [blockItem(label, descriptor)];
  });
}

function blockItem(label: string, descriptor: BlockDescriptor): Suggestion {
  return {
    label,
    kind: CompletionItemKind.Class,
    snippet: blockSnippet(label, descriptor),
    documentation: markdown(aboutBlock(label, descriptor)),
    ...(descriptor.deprecated ? { deprecated: true } : {}),
    sortText: `2${label}`,
  };
}

/** Attributes that are not given yet come first, required ones before all others. */
function itemsOf(at: CompletionPoint, block: BlockDescriptor): readonly Suggestion[] {
  const given = givenNames(at);
  const attributes = Object.entries(block.attributes)
    .filter(([name, { removed }]) => !removed && !given.has(name))
    .map(
      ([name, attribute]): Suggestion => ({
        label: name,
        kind: CompletionItemKind.Property,
        detail: attribute.required ? "required" : (attribute.default ?? ""),
        snippet: attributeSnippet(name, attribute),
        insertText: `${name} = `,
        documentation: markdown(aboutAttribute(name, attribute)),
        ...(attribute.deprecated ? { deprecated: true } : {}),
        sortText: `${attribute.deprecated ? 9 : attribute.required ? 0 : 1}${name}`,
      }),
    );
  const blocks = Object.entries(block.blocks)
    .filter(([kind, { maximum }]) => maximum !== 1 || !given.has(kind))
    .map(([kind, descriptor]) => blockItem(kind, descriptor));
  return [...attributes, ...blocks];
}

/** The names of attributes and blocks in the innermost body, the one being written left out. */
function givenNames(at: CompletionPoint): ReadonlySet<string> {
  const { brackets } = at.cursor;
  return at.document.namesIn(brackets.findLast(({ kind }) => kind === "body")?.start ?? 0);
}

function blocksUsing(at: CompletionPoint, mixin: string): readonly BlockDescriptor[] {
  const { vocabulary } = at.project;
  const found = new Set<BlockDescriptor>();
  for (const path of at.project.files)
    for (const kinds of at.project.symbols(path)?.usersOf(mixin) ?? []) {
      const block = vocabulary.block(kinds);
      if (block) found.add(block);
    }
  return [...found];
}

export function labels(
  at: CompletionPoint,
  { kind, index, block, bodies }: Extract<CursorContext, { at: "label" }>,
): readonly Suggestion[] {
  const descriptor =
    block && Object.hasOwn(block.blocks, kind)
      ? block.blocks[kind]
      : bodies.length === 0
        ? at.project.vocabulary.block([kind])
        : undefined;
  return alternativesOf(descriptor?.labels[index]?.type).flatMap((type) =>
    type.type === "enum" ? type.values.map((value) => quoted(at, String(value))) : [],
  );
}

export function mixins(at: CompletionPoint): readonly Suggestion[] {
  const { path } = at.cursor;
  const own = at.document.path;
  const [first, second] = path;
  if (first === undefined)
    return [{ label: "mixin", kind: CompletionItemKind.Keyword }, ...aliases(at)];
  if (first === "mixin") return definitions(at, "mixin", own);
  const imported = aliasTarget(at, first);
  if (imported === undefined) return [];
  return second === "mixin"
    ? definitions(at, "mixin", imported)
    : [{ label: "mixin", kind: CompletionItemKind.Keyword }];
}
