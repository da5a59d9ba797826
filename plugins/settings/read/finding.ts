/** Findings in a settings file, as data. */

/** Offsets are UTF-16 code units, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface SettingsFinding {
  /** `error`: the server would not take the file; `warning`: it would ignore something; `info`: worth knowing. */
  readonly severity: "error" | "warning" | "info";
  /** In snake case, shown as `settings.<code>`. */
  readonly code: string;
  /** One sentence without a full stop. */
  readonly message: string;
  /** Absent where the file as a whole is meant. */
  readonly span?: TextSpan;
  /** What stands beside the caret. */
  readonly label?: string;
  readonly help?: string;
  /** What to write instead of what is at `span`. */
  readonly replacement?: string;
  /** A second location that explains the first: "defined here", "first given here". */
  readonly related?: { readonly span: TextSpan; readonly message: string };
}

/** Line and column of an offset, both from 1; columns count UTF-16 code units. A CR LF is one line end. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r(?!\n)/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** A finding as the control API and events show it. */
export interface FindingView extends Omit<SettingsFinding, "span" | "related"> {
  readonly line?: number;
  readonly column?: number;
}

export function findingView(
  { span, related: _, ...rest }: SettingsFinding,
  text: string,
): FindingView {
  return span ? { ...rest, ...lineAndColumn(text, span.start) } : rest;
}
