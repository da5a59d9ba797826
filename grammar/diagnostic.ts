/**
 * What is wrong with somebody's text: plain data, many at once, never thrown.
 * Rendering is in `render.ts`; every code is in a catalogue (`codes.ts` here, others in their rooms).
 */
import type { Span } from "./tree.js";

export type Severity = "error" | "warning" | "info";

/** A text with the name people know it by: a path relative to the configuration's root, or `<stdin>`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A place in one source. `file` is the source's `path`. */
export interface SourceLocation extends Span {
  readonly file: string;
}

/** A second place that explains the first: "defined here", "first given here". */
export interface RelatedLocation {
  readonly location: SourceLocation;
  readonly message: string;
}

export interface TextEdit extends SourceLocation {
  readonly text: string;
}

/** A repair that `reeve fix` and editors can apply as it stands. */
export interface Fix {
  /** Imperative, starts small: "rename to `timeout`". */
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** One step of how a block came to be: a `for`, an `if`, a `use`. */
export interface ExpansionStep {
  /** As it is shown: "`for repo in let.repos`". */
  readonly description: string;
  readonly location: SourceLocation;
}

export interface Diagnostic {
  /** `E101`, `W203`, or `<plugin>.<name>` for a plugin's own complaint. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence without a full stop; code and names in backticks. */
  readonly message: string;
  /** Absent only when no text is to blame (a missing root file). */
  readonly location?: SourceLocation;
  /** What stands beside the caret: "did you mean `timeout`?". */
  readonly label?: string;
  /** What to do when it does not fit beside the caret. */
  readonly help?: string;
  /** Lines that show more, as they stand: the parts of a failed expectation. */
  readonly notes?: readonly string[];
  readonly fix?: Fix;
  readonly related?: readonly RelatedLocation[];
  /** The block it happened in and how that block was made, innermost first. */
  readonly subject?: string;
  readonly trace?: readonly ExpansionStep[];
}
