/** What is wrong in settings files, in the form that is shown everywhere. */
import { type Diagnostic, type Source, shownPath } from "reeve/cli";
import type { CheckedFile, SettingsFinding } from "../offline.js";

export interface FoundDiagnostics {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, Source>;
}

export function diagnosticsOf(files: readonly CheckedFile[]): FoundDiagnostics {
  const wrong = files.filter(({ findings }) => findings.length > 0);
  return {
    diagnostics: wrong.flatMap(({ path, findings }) =>
      findings.map((finding) => diagnostic(shownPath(path), finding)),
    ),
    sources: new Map(
      wrong.map(({ path, text }) => [shownPath(path), { path: shownPath(path), text }]),
    ),
  };
}

function diagnostic(file: string, finding: SettingsFinding): Diagnostic {
  const { severity, code, message, span, label, help, replacement, related } = finding;
  const title = replacement === "" ? "remove it" : `write \`${replacement}\``;
  return {
    code: `settings.${code}`,
    severity,
    message: span ? message : `\`${file}\`: ${message}`,
    ...(span && { location: { file, ...span } }),
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(span &&
      replacement !== undefined && {
        fix: { title, edits: [{ file, ...span, text: replacement }] },
      }),
    ...(related && {
      related: [{ location: { file, ...related.span }, message: related.message }],
    }),
  };
}
