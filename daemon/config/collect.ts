/** The complaints of one run as people want to read them. */
import type { Diagnostic } from "../../grammar/diagnostic.js";

/**
 * In the order of the text, every complaint about one place once: what a `for` repeats a thousand times is one mistake.
 * Of the same complaint from several places in the expansion the first stays.
 */
export function collect(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { code, place, message } = diagnostic;
    const where = place ? `${place.file} ${place.start} ${place.end}` : message;
    const key = `${code} ${where}`;
    if (!seen.has(key)) seen.set(key, diagnostic);
  }
  return [...seen.values()].sort(byPlace);
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (!a.place || !b.place) return Number(a.place !== undefined) - Number(b.place !== undefined);
  if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1;
  return a.place.start - b.place.start;
}
