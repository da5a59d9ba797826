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
  readonly parseAsJson: readonly Reference[];
  readonly args: readonly Reference[];
  readonly env: readonly Reference[];
  readonly files: readonly Reference[];
  readonly rule: Rule | undefined;
  readonly softSignatures: boolean;
  readonly place: FilePosition;
}

/** What a value is taken from. */
export interface Reference {
  readonly source: string;
  readonly name: string;
  /** Empty: made from `name`. */
  readonly variable: string;
  readonly base64: boolean;
  readonly place: FilePosition;
}

export type Rule =
  | { readonly kind: "and" | "or"; readonly rules: readonly Rule[]; readonly place: FilePosition }
  | { readonly kind: "not"; readonly rule: Rule; readonly place: FilePosition }
  | { readonly kind: "match"; readonly match: Match; readonly place: FilePosition }
  /** `{}`: never satisfied. */
  | { readonly kind: "empty"; readonly place: FilePosition };

export interface Match {
  readonly type: string;
  readonly value: string;
  readonly regex: string;
  readonly secret: string;
  readonly range: string;
  readonly parameter: Reference;
}

/** How closely the manners of the existing server are kept. */
export interface MatchOptions {
  /** Close what is open to abuse even where a hooks file could rely on it. */
  readonly strict: boolean;
}
