/** Definitions, references and renames of names, over all files of a configuration. */
import { pathToFileURL } from "node:url";
import type {
  DocumentHighlight,
  Location,
  LocationLink,
  Position,
  Range,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { quoteString } from "../../../daemon/config/values/render.js";
import { RESERVED } from "../../../grammar/reading/lexemes.js";
import type { Span } from "../../../grammar/tree.js";
import type { TextDocument } from "../language/document.js";
import type { SymbolUse } from "../language/symbol.js";
import { insideQuotes, isIdentifier, kindOf, nodesAt } from "../language/syntax.js";
import type { Project } from "../project.js";

export const uriOf = (path: string): string => pathToFileURL(path).href;

/** The name at a position. */
export function symbolAt(
  project: Project,
  document: TextDocument,
  position: Position,
): SymbolUse | undefined {
  const offset = document.offsetAt(position);
  const uses = project.symbols(document.path)?.uses ?? [];
  return uses.find(({ span }) => span.start <= offset && offset <= span.end);
}

interface Occurrence {
  readonly path: string;
  readonly use: SymbolUse;
}

function occurrences(project: Project, { key }: SymbolUse): readonly Occurrence[] {
  const found = [...project.uses()].filter(({ use }) => use.key === key);
  return key.startsWith("block ") && !found.some(({ use }) => use.isDefinition)
    ? [...found, ...computedDefinition(project, key.slice("block ".length))]
    : found;
}

/** The definition of a block whose label is computed, as the last program knows it. */
function computedDefinition(project: Project, key: string): readonly Occurrence[] {
  const header = project.program?.blocks.get(key)?.ranges.get("");
  if (!header) return [];
  const span: Span = { start: header.start, end: header.end };
  const use: SymbolUse = {
    key: `block ${key}`,
    kind: "block",
    name: key,
    span,
    isDefinition: true,
    item: span,
  };
  return [{ path: project.pathOf(header.file), use }];
}

export function definitionAt(
  project: Project,
  document: TextDocument,
  position: Position,
): LocationLink[] {
  const imported = importAt(project, document, position);
  if (imported) return imported;
  const symbol = symbolAt(project, document, position);
  if (!symbol) return [];
  return occurrences(project, symbol)
    .filter(({ use }) => use.isDefinition)
    .flatMap(({ path, use }) => {
      const target = project.document(path);
      if (!target) return [];
      return [
        {
          originSelectionRange: document.rangeOf(symbol.span),
          targetUri: uriOf(path),
          targetRange: target.rangeOf(use.item ?? use.span),
          targetSelectionRange: target.rangeOf(use.span),
        },
      ];
    });
}

/** The files of an import. */
function importAt(
  project: Project,
  document: TextDocument,
  position: Position,
): LocationLink[] | undefined {
  const offset = document.offsetAt(position);
  const found = project
    .symbols(document.path)
    ?.imports.find(({ node }) => node.path.start <= offset && offset <= node.path.end);
  if (!found) return undefined;
  const start = { line: 0, character: 0 };
  return project.filesOf(found.path).map((path) => ({
    originSelectionRange: document.rangeOf(found.node.path),
    targetUri: uriOf(path),
    targetRange: { start, end: start },
    targetSelectionRange: { start, end: start },
  }));
}

export function referencesAt(
  project: Project,
  document: TextDocument,
  position: Position,
  withDefinition: boolean,
): Location[] {
  const symbol = symbolAt(project, document, position);
  if (!symbol) return [];
  return occurrences(project, symbol)
    .filter(({ use }) => withDefinition || !use.isDefinition)
    .flatMap(({ path, use }) => {
      const range = project.document(path)?.rangeOf(use.span);
      return range ? [{ uri: uriOf(path), range }] : [];
    });
}

export function highlightsAt(
  project: Project,
  document: TextDocument,
  position: Position,
): DocumentHighlight[] {
  const symbol = symbolAt(project, document, position);
  if (!symbol) return [];
  return occurrences(project, symbol)
    .filter(({ path }) => path === document.path)
    .map(({ use }) => ({ range: document.rangeOf(use.span), kind: use.isDefinition ? 3 : 2 }));
}

/** What a rename would replace; `undefined` where nothing can be renamed. */
export function renameRangeAt(
  project: Project,
  document: TextDocument,
  position: Position,
): { readonly range: Range; readonly placeholder: string } | undefined {
  const symbol = symbolAt(project, document, position);
  if (!symbol || symbol.name === "") return undefined;
  const defined = occurrences(project, symbol).some(
    ({ path, use }) => use.isDefinition && isWritten(project, path, use),
  );
  if (!defined) return undefined;
  const span = insideQuotes(document.text, symbol.span);
  return { range: document.rangeOf(span), placeholder: symbol.name };
}

/** A label that is computed has no text to replace. */
function isWritten(project: Project, path: string, use: SymbolUse): boolean {
  const text = project.document(path)?.text.slice(use.span.start, use.span.end) ?? "";
  return text === use.name || text === quoteString(use.name) || text === `r"${use.name}"`;
}

/** @throws RenameRefused with a sentence for the user */
export function renameAt(
  project: Project,
  document: TextDocument,
  position: Position,
  name: string,
): WorkspaceEdit | undefined {
  const symbol = symbolAt(project, document, position);
  if (!symbol || !renameRangeAt(project, document, position)) return undefined;
  refuse(project, symbol, name);
  const changes: Record<string, Array<{ range: Range; newText: string }>> = {};
  for (const { path, use } of occurrences(project, symbol)) {
    const target = project.document(path);
    if (!target) continue;
    const edit = editFor(target, use, name);
    const edits = changes[uriOf(path)] ?? [];
    changes[uriOf(path)] = [...edits, { ...edit, range: target.rangeOf(edit.span) }].map(
      ({ range, newText }) => ({ range, newText }),
    );
  }
  return { changes };
}

export class RenameRefused extends Error {}

function refuse(project: Project, { key, kind, name: before }: SymbolUse, name: string): void {
  const isLabel = kind === "block" || kind === "mixin";
  if (kind !== "block" && !isIdentifier(name))
    throw new RenameRefused(`\`${name}\` is not a name: use letters, digits and \`_\`.`);
  if (!isLabel && RESERVED.has(name))
    throw new RenameRefused(`\`${name}\` is a word of the language.`);
  if (name === "" || name === before) return;
  const after = key.endsWith(before)
    ? `${key.slice(0, key.length - before.length)}${name}`
    : undefined;
  const taken = [...project.uses()].some(
    ({ use }) => use.isDefinition && (use.key === after || sameBlock(key, use, name)),
  );
  if (taken) throw new RenameRefused(`There is already a ${kind} \`${name}\`.`);
}

function sameBlock(key: string, use: SymbolUse, name: string): boolean {
  const kindIn = (text: string) => /^block ([\w.]*?)(?:\.\w+|\[.*)$/.exec(text)?.[1];
  return use.kind === "block" && use.name === name && kindIn(use.key) === kindIn(key);
}

/** A label keeps its quotes; a member that is no identifier any more becomes an index, and back. */
function editFor(
  document: TextDocument,
  use: SymbolUse,
  name: string,
): { readonly span: Span; readonly newText: string } {
  const { start, end } = use.span;
  const isString = /^r?"/.test(document.text.slice(start, end));
  if (use.kind !== "block" && use.kind !== "mixin") return { span: use.span, newText: name };
  if (use.isDefinition) return { span: use.span, newText: quoteString(name) };
  if (isString) {
    const index = nodesAt(document.tree, start + 1).findLast((node) => kindOf(node) === "index");
    if (!isIdentifier(name) || !index) return { span: use.span, newText: quoteString(name) };
    const open = document.text.lastIndexOf("[", start);
    return { span: { start: open, end: index.end }, newText: `.${name}` };
  }
  if (isIdentifier(name)) return { span: use.span, newText: name };
  return { span: { start: start - 1, end }, newText: `[${quoteString(name)}]` };
}
