import type {
  Diagnostic,
  ExpansionStep,
  RelatedLocation,
  Severity,
  SourceLocation,
} from "./diagnostic.js";
import type { Sources } from "./render.js";
import { linesOf, type Position } from "./rendering/lines.js";

export interface JsonRange {
  readonly start: Position;
  readonly end: Position;
}

/** A diagnostic for programs: lines and columns from 1, columns in UTF-16 code units, offsets from 0. */
export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file?: string;
  /** Absent if there is no text, or the text is unknown. */
  readonly range?: JsonRange;
  readonly label?: string;
  readonly help?: string;
  readonly notes?: readonly string[];
  readonly fix?: {
    readonly title: string;
    readonly edits: ReadonlyArray<JsonLocation & { readonly text: string }>;
  };
  readonly related?: ReadonlyArray<JsonLocation & { readonly message: string }>;
  /** The block of the diagnostic and its expansion, innermost first. */
  readonly subject?: string;
  readonly trace?: ReadonlyArray<JsonLocation & { readonly description: string }>;
  /** It is about the machine, not about the text. */
  readonly host?: true;
}

interface JsonLocation {
  readonly file: string;
  readonly range?: JsonRange;
}

/** The form that `--format json`, the control API and events use. */
export function toJson(diagnostic: Diagnostic, sources: Sources): JsonDiagnostic {
  const {
    code,
    severity,
    message,
    location,
    label,
    help,
    notes,
    fix,
    related,
    subject,
    trace,
    host,
  } = diagnostic;
  const at = (each: SourceLocation) => jsonLocation(each, sources);
  return {
    code,
    severity,
    message,
    ...(location && at(location)),
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(notes && { notes }),
    ...(fix && {
      fix: {
        title: fix.title,
        edits: fix.edits.map((edit) => ({ ...at(edit), text: edit.text })),
      },
    }),
    ...(related && {
      related: related.map((other: RelatedLocation) => ({
        ...at(other.location),
        message: other.message,
      })),
    }),
    ...(subject !== undefined && { subject }),
    ...(trace && {
      trace: trace.map((step: ExpansionStep) => ({
        ...at(step.location),
        description: step.description,
      })),
    }),
    ...(host && { host }),
  };
}

function jsonLocation({ file, start, end }: SourceLocation, sources: Sources): JsonLocation {
  const source = sources.get(file);
  if (source === undefined) return { file };
  const lines = linesOf(source);
  return { file, range: { start: lines.position(start), end: lines.position(end) } };
}
