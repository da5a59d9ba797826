/** The structure of a file: symbols, folding, selection. */
import {
  type DocumentSymbol,
  type FoldingRange,
  type Position,
  type SelectionRange,
  SymbolKind,
  type WorkspaceSymbol,
} from "vscode-languageserver-protocol";
import type { Item, Span } from "../../../grammar/tree.js";
import type { TextDocument } from "../language/document.js";
import { childrenOf, kindOf, nodesAt, type TreeNode } from "../language/syntax.js";
import type { Project } from "../project.js";
import { uriOf } from "./navigation.js";

export function documentSymbols(document: TextDocument): DocumentSymbol[] {
  return symbolsIn(document.tree.items, document);
}

function symbolsIn(items: readonly Item[], document: TextDocument): DocumentSymbol[] {
  return items.flatMap((item) => {
    const described = describe(item, document);
    if (!described) return [];
    const { name, kind, selection, inside } = described;
    return [
      {
        name,
        kind,
        range: document.rangeOf(item),
        selectionRange: document.rangeOf(selection),
        children: symbolsIn(inside, document),
      },
    ];
  });
}

interface OutlineEntry {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly selection: Span;
  readonly inside: readonly Item[];
}

function describe(item: Item, { text }: TextDocument): OutlineEntry | undefined {
  const written = ({ start, end }: Span): string =>
    text.slice(start, end).replace(/\s+/g, " ").trim();
  switch (item.kind) {
    case "block": {
      const selection = {
        start: item.type[0].start,
        end: (item.labels.at(-1) ?? item.type.at(-1) ?? item).end,
      };
      return {
        name: written(selection),
        kind: SymbolKind.Class,
        selection,
        inside: item.body.items,
      };
    }
    case "mixin":
      return {
        name: `mixin ${written(item.label)}`,
        kind: SymbolKind.Interface,
        selection: item.label,
        inside: item.body.items,
      };
    case "let":
    case "param":
      return { name: item.name.text, kind: SymbolKind.Variable, selection: item.name, inside: [] };
    case "attribute":
      return { name: item.name.text, kind: SymbolKind.Property, selection: item.name, inside: [] };
    case "import":
      return {
        name: `import ${written(item.path)}`,
        kind: SymbolKind.Module,
        selection: item.path,
        inside: [],
      };
    case "for":
    case "if": {
      const body = item.kind === "for" ? item.body : item.consequent;
      const selection = { start: item.start, end: body.start };
      const inside =
        item.kind === "for" ? body.items : [...body.items, ...(item.alternate?.items ?? [])];
      return { name: written(selection), kind: SymbolKind.Namespace, selection, inside };
    }
    default:
      return undefined;
  }
}

/** VisibleNames in all files of the configurations that contain the query's characters in order. */
export function workspaceSymbols(projects: readonly Project[], query: string): WorkspaceSymbol[] {
  const found = new Map<string, WorkspaceSymbol>();
  const kinds = {
    let: SymbolKind.Variable,
    mixin: SymbolKind.Interface,
    block: SymbolKind.Class,
  } as const;
  for (const project of projects)
    for (const { path, use } of project.uses()) {
      const { kind, isDefinition, name, key } = use;
      if (!isDefinition || (kind !== "let" && kind !== "mixin" && kind !== "block")) continue;
      const shown = kind === "block" ? key.slice("block ".length) : name;
      if (!isSubsequence(query.toLowerCase(), shown.toLowerCase())) continue;
      const range = project.document(path)?.rangeOf(use.span);
      if (range)
        found.set(`${path} ${key}`, {
          name: shown,
          kind: kinds[kind],
          location: { uri: uriOf(path), range },
        });
    }
  return [...found.values()];
}

function isSubsequence(query: string, text: string): boolean {
  let at = 0;
  for (const character of text) if (character === query[at]) at += 1;
  return at === query.length;
}

/** Bodies, lists, objects, block strings and runs of comments over several lines. */
export function foldingRanges(document: TextDocument): FoldingRange[] {
  const found: FoldingRange[] = [];
  const add = ({ start, end }: Span, kind?: string): void => {
    const startLine = document.positionAt(start).line;
    const endLine = document.positionAt(end).line - (kind === undefined ? 1 : 0);
    if (endLine > startLine)
      found.push({ startLine, endLine, ...(kind === undefined ? {} : { kind }) });
  };
  const visit = (node: TreeNode): void => {
    const kind = kindOf(node);
    if (
      kind === "body" ||
      kind === "list" ||
      kind === "object" ||
      kind === "string" ||
      kind === "template"
    )
      add(node);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(document.tree);
  for (const run of commentRuns(document)) add(run, "comment");
  return found;
}

function commentRuns(document: TextDocument): readonly Span[] {
  const runs: Array<{ start: number; end: number }> = [];
  let lines = 0;
  for (const { kind, start, end } of document.tokens) {
    if (kind === "newline") lines += 1;
    else if (kind === "comment" || kind === "doc") {
      const run = runs.at(-1);
      if (run && lines === 1) run.end = end;
      else runs.push({ start, end });
      lines = 0;
    } else lines = 2;
  }
  return runs;
}

export function selectionRanges(
  document: TextDocument,
  positions: readonly Position[],
): SelectionRange[] {
  return positions.map((position) => {
    let range: SelectionRange | undefined;
    for (const node of nodesAt(document.tree, document.offsetAt(position))) {
      const own = document.rangeOf(node);
      const isSame = JSON.stringify(range?.range) === JSON.stringify(own);
      if (!isSame) range = { range: own, ...(range ? { parent: range } : {}) };
    }
    return range ?? { range: document.rangeOf(document.tree) };
  });
}
