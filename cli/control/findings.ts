/** Diagnostics as they come through the control API, shown as if they had been found here. */

import type { Findings, JsonDiagnostic } from "../../daemon/http/control/api.js";
import type { Diagnostic, SourceLocation, Sources } from "../../grammar/index.js";
import { render } from "../../grammar/render.js";

/** Text with carets and a summary. `footer` says what the daemon did about it. */
export function renderFindings(
  { diagnostics, sources }: Findings,
  options: { readonly colour: boolean; readonly footer?: string },
): string {
  const texts: Sources = new Map(
    Object.entries(sources).map(([path, text]) => [path, { path, text }]),
  );
  return render(diagnostics.map(fromJson), texts, options);
}

/** The same with other names for the files. */
export function renameFindings<F extends Findings>(found: F, name: (file: string) => string): F {
  const text = JSON.stringify(found.diagnostics);
  const diagnostics = JSON.parse(text, (key, value: unknown) =>
    key === "file" && typeof value === "string" ? name(value) : value,
  ) as Findings["diagnostics"];
  const sources = Object.entries(found.sources).map(([file, each]) => [name(file), each] as const);
  return { ...found, diagnostics, sources: Object.fromEntries(sources) };
}

/** The other way round of `toJson`. What has no range keeps its file, and is shown without a line. */
export function fromJson(diagnostic: JsonDiagnostic): Diagnostic {
  const { file, range, related, fix, trace, ...rest } = diagnostic;
  return {
    ...rest,
    ...(file !== undefined && { location: locationOf({ file, range }) }),
    ...(related && {
      related: related.map((other) => ({ location: locationOf(other), message: other.message })),
    }),
    ...(fix && {
      fix: {
        title: fix.title,
        edits: fix.edits.map((edit) => ({ ...locationOf(edit), text: edit.text })),
      },
    }),
    ...(trace && {
      trace: trace.map((step) => ({ location: locationOf(step), description: step.description })),
    }),
  };
}

interface JsonLocation {
  readonly file: string;
  readonly range?: JsonDiagnostic["range"] | undefined;
}

function locationOf({ file, range }: JsonLocation): SourceLocation {
  return { file, start: range?.start.offset ?? 0, end: range?.end.offset ?? 0 };
}
