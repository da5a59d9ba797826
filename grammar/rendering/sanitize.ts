import type { Diagnostic, Source, SourceLocation } from "../diagnostic.js";

/**
 * Diagnostics in the order they are shown: those without a place first, then file by file, from top to bottom. Left out
 * are those said twice, and those about text that could not even be read: they are follow-ups of the syntax error.
 */
export function sanitize(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, Source>,
): readonly Diagnostic[] {
  const rank = new Map([...sources.keys()].map((path, index) => [path, index]));
  const order = ({ location }: Diagnostic) =>
    location ? (rank.get(location.file) ?? rank.size) : -1;
  const sorted = [...diagnostics].sort(
    (a, b) =>
      order(a) - order(b) ||
      compare(a.location?.file ?? "", b.location?.file ?? "") ||
      (a.location?.start ?? 0) - (b.location?.start ?? 0),
  );
  const unreadable = sorted
    .filter(isSyntax)
    .flatMap(({ location }) => (location ? [location] : []));
  const seen = new Set<string>();
  return sorted.filter((diagnostic) => {
    const { code, message, location } = diagnostic;
    const identity = JSON.stringify([
      code,
      message,
      location?.file,
      location?.start,
      location?.end,
    ]);
    if (seen.has(identity)) return false;
    seen.add(identity);
    if (isSyntax(diagnostic) || location === undefined) return true;
    return !unreadable.some((other) => contains(other, location));
  });
}

/** `E001` to `E099` are about text that could not be read. */
export const isSyntaxCode = (code: string): boolean => /^E0\d\d$/.test(code);
const isSyntax = ({ code }: Diagnostic): boolean => isSyntaxCode(code);

function contains(outer: SourceLocation, inner: SourceLocation): boolean {
  return outer.file === inner.file && inner.start >= outer.start && inner.end <= outer.end;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
