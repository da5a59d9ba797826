/** A diagnostic under construction: offsets in the current text, without a file name. */
import { type SyntaxCode } from "../codes.js";
import { type Diagnostic } from "../diagnostic.js";
import { type Span } from "../tree.js";

export interface Mistake extends Span {
  readonly code: SyntaxCode;
  readonly message: string;
  readonly label?: string;
  readonly help?: string;
  readonly fix?: Repair;
  readonly related?: readonly RelatedSpan[];
}

export interface Repair {
  readonly title: string;
  readonly edits: readonly SpanEdit[];
}

interface RelatedSpan extends Span {
  readonly message: string;
}

/** Reports a mistake; the receiver decides whether to keep it. */
export type ReportMistake = (complaint: Mistake) => void;

/** Replaces a range of the text. */
export interface SpanEdit extends Span {
  readonly text: string;
}

interface Advice {
  readonly label?: string;
  readonly help?: string;
  /** The replacement for the range. */
  readonly replacement?: string;
  /** A fix outside the range. */
  readonly fix?: Repair;
  readonly related?: readonly RelatedSpan[];
}

export function createMistake(
  code: SyntaxCode,
  start: number,
  end: number,
  message: string,
  advice: Advice = {},
): Mistake {
  const { replacement, ...rest } = advice;
  const found: Mistake = { code, start, end, message, ...rest };
  return replacement === undefined ? found : { ...found, fix: replaceFix(start, end, replacement) };
}

function replaceFix(start: number, end: number, text: string): Repair {
  return { title: text === "" ? "delete it" : `write \`${text}\``, edits: [{ start, end, text }] };
}

export function toDiagnostic(file: string, found: Mistake): Diagnostic {
  const { code, message, start, end, label, help, fix, related } = found;
  const location = (span: Span) => ({ file, start: span.start, end: span.end });
  return {
    code,
    severity: "error",
    message,
    location: { file, start, end },
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(fix !== undefined && {
      fix: {
        title: fix.title,
        edits: fix.edits.map((edit) => ({ ...location(edit), text: edit.text })),
      },
    }),
    ...(related !== undefined && {
      related: related.map((other) => ({ location: location(other), message: other.message })),
    }),
  };
}

/** A complaint, and where to go on reading: at or behind the place where it was found. */
export interface RecoveryPoint {
  readonly complaint: Mistake;
  readonly resume: number;
  /** What was read before stays good. */
  readonly harmless?: true | undefined;
}
