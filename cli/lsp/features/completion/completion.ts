/** What can be written at the cursor. */
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  type Position,
} from "vscode-languageserver-protocol";
import { parameterTypes } from "../../../../daemon/config/evaluate/parameter-type.js";
import { cursorAt } from "../../language/cursor.js";
import { contextAt } from "../../language/cursor-context.js";
import type { TextDocument } from "../../language/document.js";
import type { Project } from "../../project.js";
import { items, labels, mixins } from "./items.js";
import { type CompletionPoint, paths, type Suggestion } from "./names.js";
import { values } from "./values.js";

export interface CompletionOptions {
  /** The editor understands `$1` and `${1:…}`. */
  readonly snippets: boolean;
}

export function completionAt(
  project: Project,
  document: TextDocument,
  position: Position,
  { snippets }: CompletionOptions,
): CompletionItem[] {
  const cursor = cursorAt(document, document.offsetAt(position));
  if (cursor.silent) return [];
  const context = contextAt(cursor, document, project.vocabulary);
  const range = document.rangeOf(cursor.word);
  const found = suggestions({ project, document, cursor, context });
  const unique = new Map(found.map((each) => [each.label, each]));
  return Array.from(unique.values(), ({ snippet, ...item }) => {
    const asSnippet = snippet !== undefined && snippets;
    return {
      ...item,
      textEdit: { range, newText: asSnippet ? snippet : (item.insertText ?? item.label) },
      ...(asSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
    };
  });
}

function suggestions(at: CompletionPoint): readonly Suggestion[] {
  const { context } = at;
  switch (context.at) {
    case "item":
      return items(at);
    case "label":
      return labels(at, context);
    case "type":
      return parameterTypes.map((label) => ({ label, kind: CompletionItemKind.TypeParameter }));
    case "import":
      return paths(at, [".reeve", ".reeve.json"]);
    case "use":
      return mixins(at);
    case "value":
      return values(at, context);
  }
}
