/** A decoded hooks file, field by field and unchecked. */

/** A position in a file, from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface FileHook {
  readonly id: string;
  readonly command: string;
  /** Empty: the server's directory. */
  readonly directory: string;
  readonly message: string;
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  /** 0: not set. */
  readonly successStatus: number;
  /** 0: not set. */
  readonly mismatchStatus: number;
  /** Replaces the request's content type for the choice of the parser. */
  readonly contentType: string;
  /** Trimmed, in upper case; empty: not restricted by the hook. */
  readonly methods: readonly string[];
  readonly includeOutput: boolean;
  readonly includeOutputOnError: boolean;
  readonly parseAsJson: readonly ParameterReference[];
  readonly args: readonly ParameterReference[];
  readonly env: readonly ParameterReference[];
  readonly files: readonly ParameterReference[];
  readonly rule: MatchRule | undefined;
  readonly softSignatures: boolean;
  readonly position: FilePosition;
}

/** The source of a value. */
export interface ParameterReference {
  readonly source: string;
  readonly name: string;
  /** Empty: derived from `name`. */
  readonly variable: string;
  readonly base64: boolean;
  readonly position: FilePosition;
}

export type MatchRule =
  | {
      readonly kind: "and" | "or";
      readonly rules: readonly MatchRule[];
      readonly position: FilePosition;
    }
  | { readonly kind: "not"; readonly rule: MatchRule; readonly position: FilePosition }
  | { readonly kind: "match"; readonly match: RuleMatch; readonly position: FilePosition }
  /** `{}`: never satisfied. */
  | { readonly kind: "empty"; readonly position: FilePosition };

export interface RuleMatch {
  readonly type: string;
  readonly value: string;
  readonly regex: string;
  readonly secret: string;
  readonly range: string;
  readonly parameter: ParameterReference;
}

/** How closely matching follows the existing server. */
export interface MatchOptions {
  /** Prevent abuse even where a hooks file could depend on the old behavior. */
  readonly strict: boolean;
}
