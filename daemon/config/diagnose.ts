/** Making diagnostics: one short call for what every complaint of this room needs. */
import {
  type Diagnostic,
  type ExpansionStep,
  type Fix,
  type RelatedLocation,
  type SourceLocation,
} from "../../grammar/diagnostic.js";
import { type Span } from "../../grammar/tree.js";

/** Whoever takes complaints; it adds what it knows of where they come from. */
export type ReportDiagnostic = (diagnostic: Diagnostic) => void;

export interface DiagnosticDetails {
  /** Beside the caret. */
  readonly label?: string | undefined;
  readonly help?: string | undefined;
  readonly fix?: Fix | undefined;
  readonly related?: readonly RelatedLocation[] | undefined;
}

/** A diagnostic whose code tells its severity: `W…` warns, everything else is an error. */
export function createDiagnostic(
  code: string,
  location: SourceLocation | undefined,
  message: string,
  details: DiagnosticDetails = {},
): Diagnostic {
  const { label, help, fix, related } = details;
  return {
    code,
    severity: code.startsWith("W") ? "warning" : "error",
    message,
    ...(location === undefined ? {} : { location }),
    ...(label === undefined ? {} : { label }),
    ...(help === undefined ? {} : { help }),
    ...(fix === undefined ? {} : { fix }),
    ...(related === undefined || related.length === 0 ? {} : { related }),
  };
}

export const locationIn = (file: string, span: Span): SourceLocation => ({
  file,
  start: span.start,
  end: span.end,
});

/** The same reporter, naming the block and the expansion that led to it. */
export function reportWithin(
  report: ReportDiagnostic,
  subject: string | undefined,
  trace: readonly ExpansionStep[],
): ReportDiagnostic {
  return (diagnostic) =>
    report({
      ...(subject === undefined ? {} : { subject }),
      ...(trace.length === 0 ? {} : { trace }),
      ...diagnostic,
    });
}

/** "did you mean `x`?", where there is something to mean. */
export const suggestFix = (suggestion: string | undefined): string | undefined =>
  suggestion === undefined ? undefined : `did you mean \`${suggestion}\`?`;

/** The fix that goes with it; none where quotes would have to be escaped. */
export function renameFix(
  location: SourceLocation,
  suggestion: string | undefined,
): Fix | undefined {
  const unsafe = suggestion?.includes('"') && location.file.endsWith(".json");
  return suggestion === undefined || unsafe
    ? undefined
    : { title: `rename to \`${suggestion}\``, edits: [{ ...location, text: suggestion }] };
}

/**
 * In the order of the text, every complaint about one place once: what a `for` repeats a thousand times is one mistake.
 * Of the same complaint from several places in the expansion the first stays.
 */
export function collect(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { code, location, message } = diagnostic;
    const where = location ? `${location.file} ${location.start} ${location.end}` : message;
    const key = `${code} ${where}`;
    if (!seen.has(key)) seen.set(key, diagnostic);
  }
  return [...seen.values()].sort(byLocation);
}

function byLocation(a: Diagnostic, b: Diagnostic): number {
  if (!a.location || !b.location)
    return Number(a.location !== undefined) - Number(b.location !== undefined);
  if (a.location.file !== b.location.file) return a.location.file < b.location.file ? -1 : 1;
  return a.location.start - b.location.start;
}
