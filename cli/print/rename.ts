/** The same diagnostics with other names for the files. */
import type { Loaded } from "../../daemon/config/program.js";
import type { Diagnostic, SourceLocation } from "../../grammar/diagnostic.js";

/** What was loaded, with files named anew wherever diagnostics and tests name them. */
export function renamed<L extends Pick<Loaded, "diagnostics" | "sources" | "tests">>(
  loaded: L,
  name: (file: string) => string,
): L {
  const at = <P extends SourceLocation>(location: P): P => ({
    ...location,
    file: name(location.file),
  });
  return {
    ...loaded,
    diagnostics: loaded.diagnostics.map((diagnostic) => renamedDiagnostic(diagnostic, at)),
    sources: new Map(
      [...loaded.sources].map(([file, source]) => [
        name(file),
        { path: name(file), text: source.text },
      ]),
    ),
    tests: loaded.tests.map((outcome) => ({
      ...outcome,
      location: at(outcome.location),
      failures: outcome.failures.map((failure) => ({ ...failure, location: at(failure.location) })),
    })),
  };
}

function renamedDiagnostic(
  diagnostic: Diagnostic,
  at: <P extends SourceLocation>(location: P) => P,
): Diagnostic {
  const { location, fix, related, trace } = diagnostic;
  const within = <E extends { readonly location: SourceLocation }>(each: E): E => ({
    ...each,
    location: at(each.location),
  });
  return {
    ...diagnostic,
    ...(location && { location: at(location) }),
    ...(fix && { fix: { ...fix, edits: fix.edits.map(at) } }),
    ...(related && { related: related.map(within) }),
    ...(trace && { trace: trace.map(within) }),
  };
}
