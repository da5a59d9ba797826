/** Diagnostics as people read them: a sentence, the line it is about with carets under it, and what to do. */
import { styleText } from "node:util";
import type { Diagnostic, ExpansionStep, Severity, Source, SourceLocation } from "./diagnostic.js";
import { excerptLine, printable } from "./rendering/excerpt.js";
import { linesOf } from "./rendering/lines.js";
import { sanitize } from "./rendering/sanitize.js";

/** Sources by the path that places name. */
export type Sources = ReadonlyMap<string, Source>;

export interface RenderOptions {
  /** Terminal colours; everything is plain without. */
  readonly colour?: boolean;
  /** How many diagnostics are shown. */
  readonly limit?: number;
  /** What stands behind the summary: what the daemon did about it. */
  readonly footer?: string;
}

const LIMIT = 20;
/** Longer source lines are cut around the carets. */
const COLUMNS = 100;
const COLOURS = { error: "red", warning: "yellow", info: "cyan" } as const;

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** All diagnostics, ordered and without follow-ups, and a line that sums them up. */
export function render(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  { colour = false, limit = LIMIT, footer }: RenderOptions = {},
): string {
  const paint: Paint = (style, text) =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const all = sanitize(diagnostics, sources);
  const shown = all.slice(0, limit);
  const blocks = shown.map((diagnostic) => `${renderOne(diagnostic, sources, paint)}\n\n`);
  return `${blocks.join("")}${summary(all, shown.length)}${footer ? ` ${printable(footer)}` : ""}\n`;
}

function summary(all: readonly Diagnostic[], shown: number): string {
  const count = (severity: Severity, word: string) => {
    const number = all.filter((diagnostic) => diagnostic.severity === severity).length;
    return `${number} ${word}${number === 1 ? "" : "s"}`;
  };
  const rest = shown < all.length ? ` The first ${shown} are shown.` : "";
  return `${count("error", "error")}, ${count("warning", "warning")}.${rest}`;
}

function renderOne(diagnostic: Diagnostic, sources: Sources, paint: Paint): string {
  const {
    severity,
    code,
    message,
    location,
    label,
    help,
    fix,
    related = [],
    notes = [],
  } = diagnostic;
  const locations = [...(location ? [location] : []), ...related.map((other) => other.location)];
  const gutter = Math.max(
    1,
    ...locations.map((each) => String(lineOf(each, sources) ?? "").length),
  );
  const colour = COLOURS[severity];
  const edge = (sign: string) => paint("blue", `${" ".repeat(gutter + 1)}${sign}`);
  const lines = [
    `${paint(["bold", colour], `${severity}[${code}]`)}${paint("bold", `: ${printable(message)}`)}`,
  ];
  const quote = (at: SourceLocation, mark: string, style: Style, said: string | undefined) =>
    quoted(at, sources, { gutter, mark, style, said, paint });
  if (location) {
    lines.push(`${paint("blue", `${" ".repeat(gutter)}-->`)} ${where(location, sources)}`);
    const [source, ...marks] = quote(location, "^", ["bold", colour], label);
    if (source !== undefined) lines.push(edge("|"), source, ...marks);
  }
  for (const other of related) {
    lines.push(`${paint("blue", `${" ".repeat(gutter)}:::`)} ${where(other.location, sources)}`);
    lines.push(...quote(other.location, "-", "blue", other.message));
  }
  lines.push(...notes.map((line) => `${edge("|")} ${printable(line)}`));
  const note = (name: string, text: string) =>
    `${edge("=")} ${paint("bold", name)}: ${printable(text)}`;
  if (help !== undefined) lines.push(note("help", help));
  if (fix !== undefined) lines.push(note("fix", fix.title));
  const origin = originOf(diagnostic, sources);
  if (origin !== undefined) lines.push(note("in", origin));
  return lines.join("\n");
}

/** `hook "deploy", expanded from `for repo in let.repos` at main.reeve:29:1`. */
function originOf({ subject, trace = [] }: Diagnostic, sources: Sources): string | undefined {
  const steps = trace.map(
    ({ description, location }: ExpansionStep) =>
      `expanded from ${description} at ${where(location, sources)}`,
  );
  const parts = [...(subject === undefined ? [] : [subject]), ...steps];
  return parts.length === 0 ? undefined : parts.join(", ");
}

interface Quotation {
  readonly gutter: number;
  readonly mark: string;
  readonly style: Style;
  readonly said: string | undefined;
  readonly paint: Paint;
}

/** The line of a place and the marks under it; nothing when the text is not known. */
function quoted(
  location: SourceLocation,
  sources: Sources,
  quotation: Quotation,
): readonly string[] {
  const source = sources.get(location.file);
  if (source === undefined) return [];
  const { gutter, mark, style, said, paint } = quotation;
  const lines = linesOf(source);
  const start = lines.position(location.start);
  const end = lines.position(Math.max(location.start, location.end));
  const text = lines.text(start.line);
  const lastColumn = end.line === start.line ? end.column : text.length + 1;
  const shown = excerptLine(text, start.column - 1, lastColumn - 1, COLUMNS);
  const reach = end.line === start.line ? "" : ` (to line ${end.line})`;
  const words = `${said === undefined ? "" : ` ${printable(said)}`}${reach}`;
  const number = String(start.line).padStart(gutter);
  return [
    `${paint("blue", `${number} |`)} ${shown.text}`.trimEnd(),
    `${paint("blue", `${" ".repeat(gutter)} |`)} ${" ".repeat(shown.indent)}${paint(style, mark.repeat(shown.carets) + words)}`,
  ];
}

/** `main.reeve:33:5`, or the path alone when its text is not known. */
function where(location: SourceLocation, sources: Sources): string {
  const source = sources.get(location.file);
  if (source === undefined) return printable(location.file);
  const { line, column } = linesOf(source).position(location.start);
  return `${printable(location.file)}:${line}:${column}`;
}

function lineOf(location: SourceLocation, sources: Sources): number | undefined {
  const source = sources.get(location.file);
  return source && linesOf(source).position(location.start).line;
}
