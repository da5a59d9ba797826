/** Functions that create diagnostics. */
import {
  type Diagnostic,
  type ExpansionStep,
  type Fix,
  type RelatedLocation,
  type SourceLocation,
} from "../../grammar/diagnostic.js";
import { type Span } from "../../grammar/tree.js";

/** Receives diagnostics and adds their context. */
export type ReportDiagnostic = (diagnostic: Diagnostic) => void;

export interface DiagnosticDetails {
  /** Text beside the caret. */
  readonly label?: string | undefined;
  readonly help?: string | undefined;
  readonly fix?: Fix | undefined;
  readonly related?: readonly RelatedLocation[] | undefined;
}

/** Creates a diagnostic; codes that begin with `W` are warnings, all others errors. */
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

/** Adds the block and its expansion to every diagnostic. */
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

/** "did you mean `x`?", if there is a suggestion. */
export const suggestFix = (suggestion: string | undefined): string | undefined =>
  suggestion === undefined ? undefined : `did you mean \`${suggestion}\`?`;

/** The matching fix; none if quotes would need escaping. */
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
 * Sorts diagnostics by location and removes duplicates: a mistake repeated by a `for` is reported once, with its
 * first expansion.
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
