/** What an editor is offered to put right with one key press: each fault whose correction is known. */
import { openDocument } from "../document.js";
import { editorDiagnostic, type OpenFile } from "./answers.js";
import { type EditorPosition, offsetOf, rangeOf } from "./position.js";

export interface EditorRange {
  readonly start: EditorPosition;
  readonly end: EditorPosition;
}

/** Those that touch the range, as quick fixes of the protocol. */
export function fixes(file: OpenFile, range: EditorRange): readonly unknown[] {
  const { uri, text, dialect, checker } = file;
  const { findings, text: read } = openDocument(uri, Buffer.from(text), dialect, checker);
  const [start, end] = [offsetOf(read, range.start), offsetOf(read, range.end)];
  return findings.flatMap((finding) => {
    const { span, replacement } = finding;
    if (!span || replacement === undefined || span.start > end || span.end < start) return [];
    return [
      {
        title: replacement === "" ? "Remove it" : `Write ${replacement}`,
        kind: "quickfix",
        isPreferred: true,
        diagnostics: [editorDiagnostic(file, read, finding)],
        edit: { changes: { [uri]: [{ range: rangeOf(read, span), newText: replacement }] } },
      },
    ];
  });
}
