/**
 * What evaluated configuration values look like to a plugin. Interfaces only: the host makes the objects,
 * in whatever isolation the plugin runs, so a plugin never needs `instanceof`.
 */

declare const unit: unique symbol;

/** A length of time in milliseconds. */
export type Duration = number & { readonly [unit]: "milliseconds" };

/** An amount of data in bytes. */
export type Size = number & { readonly [unit]: "bytes" };

/** A share of one: `50%` is 0.5. */
export type Ratio = number & { readonly [unit]: "ratio" };

/** An absolute path; the configuration's relative paths are resolved against the file they stand in. */
export type Path = string & { readonly [unit]: "path" };

/** A host name pattern such as `*.example.org`: lower case, A-labels, no trailing dot. */
export type HostPattern = string & { readonly [unit]: "host pattern" };

/**
 * A place in the configuration, opaque to plugins: hand it back to `report`.
 * Offsets are UTF-16 code units, `end` exclusive.
 */
export interface Range {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A value that must not be seen. Converting it to text, JSON or an inspected form gives `(secret)`.
 */
export interface Secret {
  /** Whether the text is known. Always true from `prepare` on. */
  readonly resolved: boolean;
  /** The text itself. Hand it straight to where it is needed; keep no copy, print nothing made of it. */
  reveal(): string;
  /** Compares in constant time with respect to the secret's content. */
  equals(candidate: string | Uint8Array): boolean;
  toString(): "(secret)";
  toJSON(): "(secret)";
}

/** A regular expression that runs in time linear in its input (RE2 syntax: no look-around, no back-references). */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** Whether the pattern occurs anywhere in `text`; anchor with `^` and `$`. */
  test(text: string): boolean;
  /** The first occurrence, its whole text at index 0 and its groups behind; `undefined` where nothing matches. */
  match(text: string): ReadonlyArray<string | undefined> | undefined;
}

/** A reference to another block, checked to exist. */
export interface Reference<Kind extends string = string> {
  readonly kind: Kind;
  readonly label: string;
  /** `sandbox.build`: unique in the program. */
  readonly key: string;
}

/**
 * The outcome of a run-time expression. A name that the request does not have is `missing`, which no operator but
 * `??` turns into a value: `!missing` and `missing == x` are missing too. So a condition over something absent is
 * never satisfied by accident.
 */
export type Evaluation<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "missing"; readonly what: string; readonly range: Range }
  | { readonly kind: "failed"; readonly message: string; readonly range: Range };

/** One node of "why": the text of a sub-expression, what it came to, and what it is made of. */
export interface Explanation {
  readonly text: string;
  /** Rendered as in the language, shortened, secrets as `(secret)`; `missing` and `error: …` where there is no value. */
  readonly outcome: string;
  readonly parts: readonly Explanation[];
}

/** An expression that was type-checked and folded at load and is evaluated per request. */
export interface Expression<T = unknown> {
  /** As it stands in the configuration. */
  readonly text: string;
  readonly range: Range;
  /** `true` where no run-time name is left in it. */
  readonly constant: boolean;
  evaluate(scope: Readonly<Record<string, unknown>>): Evaluation<T>;
  /** Evaluates like `evaluate` and tells how it came about, for `explain` commands and decision trees. */
  explain(scope: Readonly<Record<string, unknown>>): Explanation;
}

/** One block of the configuration as its plugin sees it. */
export interface Block<Values = Record<string, unknown>> {
  /** Without the plugin's namespace: `hook`, `chat`. */
  readonly kind: string;
  readonly label: string | undefined;
  readonly labels: readonly string[];
  /** `hook.deploy` for a top-level block, unique in the program; nested blocks carry their parent's key and an index. */
  readonly key: string;
  /** Attributes and nested blocks by name, with defaults filled in. */
  readonly values: Values;
  /** The `##` comment before the block. */
  readonly doc: string | undefined;
  /** Where the block's header stands. */
  readonly range: Range;
  /** Where a value stands: `rangeOf("timeout")`, `rangeOf("run", 2)`. The header's range where the value is a default. */
  rangeOf(...path: ReadonlyArray<string | number>): Range;
}
