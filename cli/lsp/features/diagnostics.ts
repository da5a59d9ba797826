/** Diagnostics and their fixes in the shapes of the protocol. */
import type {
  CodeAction,
  Diagnostic as EditorDiagnostic,
  TextEdit as EditorEdit,
  Range,
} from "vscode-languageserver-protocol";
import type { Diagnostic, TextEdit } from "../../../grammar/index.js";
import type { TextDocument } from "../language/document.js";
import type { Project } from "../project.js";
import { uriOf } from "./navigation.js";

const severities = { error: 1, warning: 2, info: 3 } as const;

/** The findings of a load by absolute path. A finding without a context is shown at the start of the root file. */
export function diagnosticsByFile(
  project: Project,
): ReadonlyMap<string, readonly EditorDiagnostic[]> {
  const found = new Map<string, EditorDiagnostic[]>(project.files.map((path) => [path, []]));
  for (const diagnostic of project.diagnostics) {
    const path = diagnostic.location ? project.pathOf(diagnostic.location.file) : project.root;
    found.set(path, [...(found.get(path) ?? []), toEditor(project, path, diagnostic)]);
  }
  return found;
}

function toEditor(project: Project, path: string, diagnostic: Diagnostic): EditorDiagnostic {
  const { code, severity, location, related = [] } = diagnostic;
  const start = { line: 0, character: 0 };
  const range = location && project.document(path)?.rangeOf(location);
  const elsewhere = related.flatMap(({ location: other, message }) => {
    const file = project.pathOf(other.file);
    const at = project.document(file)?.rangeOf(other);
    return at ? [{ location: { uri: uriOf(file), range: at }, message }] : [];
  });
  return {
    range: range ?? { start, end: start },
    severity: severities[severity],
    code,
    source: "reeve",
    message: messageOf(diagnostic),
    ...(elsewhere.length > 0 ? { relatedInformation: elsewhere } : {}),
    ...(/^W10[12]$/.test(code) ? { tags: [2] } : {}),
  };
}

/** The sentence, what stands beside the caret, and the advice. */
export function messageOf({ message, label, help, notes = [] }: Diagnostic): string {
  return [
    label === undefined ? message : `${message}: ${label}`,
    ...notes,
    ...(help === undefined ? [] : [help]),
  ].join("\n");
}

export function quickFixes(project: Project, document: TextDocument, range: Range): CodeAction[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  return project.diagnostics.flatMap((diagnostic) => {
    const { fix, location } = diagnostic;
    if (!fix || !location || project.pathOf(location.file) !== document.path) return [];
    if (location.end < start || end < location.start) return [];
    return [
      {
        title: capital(fix.title),
        kind: "quickfix",
        isPreferred: true,
        diagnostics: [toEditor(project, document.path, diagnostic)],
        edit: { changes: changesOf(project, fix.edits) },
      },
    ];
  });
}

/** All fixes of a file, as `reeve fix` applies them: an edit that overlaps an earlier one is left out. */
export function fixAll(project: Project, document: TextDocument): CodeAction[] {
  const taken: TextEdit[] = [];
  for (const { fix } of project.diagnostics) {
    const edits = fix?.edits ?? [];
    const isOwn = edits.every(({ file }) => project.pathOf(file) === document.path);
    const isFree = edits.every((edit) => !taken.some((other) => overlap(edit, other)));
    if (isOwn && isFree) taken.push(...edits);
  }
  if (taken.length === 0) return [];
  const edit = { changes: changesOf(project, taken) };
  return [{ title: "Apply all fixes", kind: "source.fixAll", edit }];
}

const overlap = (one: TextEdit, other: TextEdit): boolean =>
  one.start < other.end && other.start < one.end;

function changesOf(project: Project, edits: readonly TextEdit[]): Record<string, EditorEdit[]> {
  const changes: Record<string, EditorEdit[]> = {};
  for (const { file, start, end, text } of edits) {
    const path = project.pathOf(file);
    const range = project.document(path)?.rangeOf({ start, end });
    if (range) changes[uriOf(path)] = [...(changes[uriOf(path)] ?? []), { range, newText: text }];
  }
  return changes;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
