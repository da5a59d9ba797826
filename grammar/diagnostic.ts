/**
 * Diagnostics about a text: plain data, many at once, never thrown. Rendering is in `render.ts`; every code is in a
 * catalog (`codes.ts` here, others in their rooms).
 */
import type { Span } from "./tree.js";

export type Severity = "error" | "warning" | "info";

/** A text with its display name: a path relative to the configuration's root, or `<stdin>`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A location in one source. `file` is the source's `path`. */
export interface SourceLocation extends Span {
  readonly file: string;
}

/** A second location that explains the first: "defined here", "first given here". */
export interface RelatedLocation {
  readonly location: SourceLocation;
  readonly message: string;
}

export interface TextEdit extends SourceLocation {
  readonly text: string;
}

/** A fix that `reeve fix` and editors can apply. */
export interface Fix {
  /** Imperative, lower case: "rename to `timeout`". */
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** One step of a block's expansion: a `for`, an `if`, a `use`. */
export interface ExpansionStep {
  /** As shown to users: "`for repo in let.repos`". */
  readonly description: string;
  readonly location: SourceLocation;
}

export interface Diagnostic {
  /** `E101`, `W203`, or `<plugin>.<name>` for a plugin's own diagnostic. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence without a full stop; code and names in backticks. */
  readonly message: string;
  /** Absent only if there is no text (a missing root file). */
  readonly location?: SourceLocation;
  /** Text beside the caret: "did you mean `timeout`?". */
  readonly label?: string;
  /** Advice that does not fit beside the caret. */
  readonly help?: string;
  /** Additional lines, shown verbatim: the parts of a failed expectation. */
  readonly notes?: readonly string[];
  readonly fix?: Fix;
  readonly related?: readonly RelatedLocation[];
  /** The block of the diagnostic and its expansion, innermost first. */
  readonly subject?: string;
  readonly trace?: readonly ExpansionStep[];
  /** It is about the machine, not about the text; elsewhere it may not hold. */
  readonly host?: true;
}
