/** VisibleNames, blocks and files that a completion can offer. */
import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type CompletionItem, CompletionItemKind } from "vscode-languageserver-protocol";
import type { TextCursor } from "../../language/cursor.js";
import type { CursorContext } from "../../language/cursor-context.js";
import type { TextDocument } from "../../language/document.js";
import { parameterKey } from "../../language/symbol.js";
import { isIdentifier } from "../../language/syntax.js";
import type { Project } from "../../project.js";

/** The cursor with everything that is known about it. */
export interface CompletionPoint {
  readonly project: Project;
  readonly document: TextDocument;
  readonly cursor: TextCursor;
  readonly context: CursorContext;
}

/** An item without its edit: every item replaces the word at the cursor. */
export type Suggestion = Omit<CompletionItem, "textEdit"> & {
  /** With `$1` and `${1:…}`, for editors that understand them. */
  readonly snippet?: string;
};

export const markdown = (value: string) => ({ kind: "markdown" as const, value });

/** A string: with its quotes, unless the cursor is between them. */
export function quoted(
  at: CompletionPoint,
  text: string,
  kind: CompletionItemKind = CompletionItemKind.EnumMember,
): Suggestion {
  const label = at.cursor.string ? text : JSON.stringify(text);
  return { label, kind, filterText: label, sortText: `0${text}` };
}

/** VisibleNames that the configuration reads elsewhere from the same object: the only trace of its shape. */
export function keysReadFrom(at: CompletionPoint, path: readonly string[]): readonly Suggestion[] {
  const prefix = `${path.join("\u0000")}\u0000`;
  const found = new Set<string>();
  for (const file of at.project.files)
    for (const member of at.project.symbols(file)?.members ?? [])
      if (member.startsWith(prefix))
        found.add(member.slice(prefix.length).split("\u0000")[0] ?? "");
  const isWord = at.cursor.string !== undefined;
  return [...found]
    .filter((label) => label !== "" && (isWord || isIdentifier(label)))
    .map((label) => ({ label, kind: CompletionItemKind.Field }));
}

/** Keys of the blocks of a kind: those of the last program, and those being written. */
export function blocksOf(at: CompletionPoint, kind: string): readonly string[] {
  const keys = new Set<string>();
  for (const key of at.project.program?.blocks.keys() ?? [])
    if (key.startsWith(`${kind}.`) || key.startsWith(`${kind}[`)) keys.add(key);
  for (const { use } of at.project.uses())
    if (use.kind === "block" && use.isDefinition) {
      const key = use.key.slice("block ".length);
      if (key.startsWith(`${kind}.`) || key.startsWith(`${kind}[`)) keys.add(key);
    }
  return [...keys].sort();
}

/** Lets or loop variables that can be seen from the cursor. */
export function visible(at: CompletionPoint, kind: "let" | "variable"): readonly Suggestion[] {
  const { offset } = at.cursor;
  const { path } = at.document;
  const names = new Set<string>();
  for (const use of at.project.symbols(path)?.uses ?? []) {
    const { scope } = use;
    const isVisible = scope === undefined || (scope.start <= offset && offset <= scope.end);
    if (use.kind === kind && use.isDefinition && isVisible) names.add(use.name);
  }
  return [...names].map((label) => ({
    label,
    kind: CompletionItemKind.Variable,
    sortText: `2${label}`,
  }));
}

export function definitions(
  at: CompletionPoint,
  kind: "let" | "mixin",
  path: string,
): readonly Suggestion[] {
  const uses = at.project.symbols(path)?.uses ?? [];
  return uses
    .filter((use) => use.kind === kind && use.isDefinition && use.scope === undefined)
    .map(({ name, doc }) => ({
      label: name,
      kind: CompletionItemKind.Variable,
      ...(doc === undefined ? {} : { documentation: markdown(doc) }),
    }));
}

/** The parameters of a mixin or file, by the beginning of its `use` or `import`; `undefined` for a function. */
export function parametersOf(
  at: CompletionPoint,
  called: string,
): readonly Suggestion[] | undefined {
  const own = at.document.path;
  const [, imported] = /^import (.*)$/s.exec(called) ?? [];
  const [, alias, mixin] = /^(?:(\w+)\.)?mixin\.(\w+)$/.exec(called) ?? [];
  if (imported === undefined && mixin === undefined) return undefined;
  const path =
    imported !== undefined
      ? resolve(dirname(own), imported)
      : alias === undefined
        ? own
        : aliasTarget(at, alias);
  const uses = (path !== undefined && at.project.symbols(path)?.uses) || [];
  return uses
    .filter(({ key, name, isDefinition, isParameter, scope }) => {
      if (!isDefinition || !isParameter) return false;
      return mixin === undefined
        ? scope === undefined
        : key === parameterKey(path ?? "", mixin, name);
    })
    .map(({ name, doc }) => ({
      label: `${name} = `,
      kind: CompletionItemKind.Field,
      sortText: `0${name}`,
      ...(doc === undefined ? {} : { documentation: markdown(doc) }),
    }));
}

export function aliases(at: CompletionPoint): readonly Suggestion[] {
  const uses = at.project.symbols(at.document.path)?.uses ?? [];
  return uses
    .filter(({ kind, isDefinition }) => kind === "alias" && isDefinition)
    .map(({ name }) => ({ label: name, kind: CompletionItemKind.Module, sortText: `4${name}` }));
}

export function aliasTarget(at: CompletionPoint, name: string): string | undefined {
  const { imports = [] } = at.project.symbols(at.document.path) ?? {};
  return imports.find(({ node }) => node.alias?.text === name)?.path;
}

/** Files below the directory that has been written so far; nothing outside of the configuration's own directory. */
export function paths(at: CompletionPoint, endings?: readonly string[]): readonly Suggestion[] {
  const { word, offset } = at.cursor;
  const written = at.document.text.slice(word.start, offset);
  const folder = written.slice(0, written.lastIndexOf("/") + 1);
  const directory = resolve(dirname(at.document.path), folder);
  const top = dirname(at.project.root);
  if (directory !== top && !directory.startsWith(`${top}/`)) return [];
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && entry.name !== "node_modules")
      .filter(
        (entry) =>
          entry.isDirectory() || endings?.some((end) => entry.name.endsWith(end)) !== false,
      )
      .map((entry) => {
        const label = `${folder === "" ? "./" : folder}${entry.name}${entry.isDirectory() ? "/" : ""}`;
        const kind = entry.isDirectory() ? CompletionItemKind.Folder : CompletionItemKind.File;
        return at.cursor.string ? { label, kind } : { label: `"${label}"`, kind };
      });
  } catch {
    return [];
  }
}
