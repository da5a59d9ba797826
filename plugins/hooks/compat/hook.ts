/** What a hooks file says, decoded. Field by field as the file has it; nothing is judged here. */

/** Where something stands in a file, counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface FileHook {
  readonly id: string;
  readonly command: string;
  /** Empty: where the server runs. */
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

/** What a value is taken from. */
export interface ParameterReference {
  readonly source: string;
  readonly name: string;
  /** Empty: made from `name`. */
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

/** How closely the manners of the existing server are kept. */
export interface MatchOptions {
  /** Close what is open to abuse even where a hooks file could rely on it. */
  readonly strict: boolean;
}
