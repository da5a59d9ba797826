/** The complaints of one run as people want to read them. */
import type { Diagnostic } from "../../grammar/diagnostic.js";

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
