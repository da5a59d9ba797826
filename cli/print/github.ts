/** Diagnostics as workflow commands: GitHub shows them beside the lines of a change. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { type Sources, toJson } from "../../grammar/index.js";

const COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

/** One line a diagnostic, each with a line end. */
export function githubOf(diagnostics: readonly Diagnostic[], sources: Sources): string {
  return diagnostics.map((diagnostic) => `${commandOf(diagnostic, sources)}\n`).join("");
}

function commandOf(diagnostic: Diagnostic, sources: Sources): string {
  const {
    severity,
    code,
    message,
    file,
    range,
    label,
    help,
    notes = [],
  } = toJson(diagnostic, sources);
  const properties = {
    file,
    line: range?.start.line,
    endLine: range?.end.line,
    // GitHub ignores columns of a place that spans lines.
    ...(range?.start.line === range?.end.line && {
      col: range?.start.column,
      endColumn: range?.end.column,
    }),
    title: `reeve ${code}`,
  };
  const words = [message, label, help, ...notes].filter((part) => part !== undefined).join("\n");
  const written = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${COMMANDS[severity]} ${written.join(",")}::${escaped(words)}`;
}

const escaped = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapedProperty = (text: string): string =>
  escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
