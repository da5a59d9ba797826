/** A text as the row of its tokens, comments included: what the formatter and highlighting look at. */
import type { Source } from "./diagnostic.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse } from "./reeve.peggy.js";
import type { Span } from "./tree.js";

export type TokenKind =
  | "name"
  | "number"
  /** Any form of string, whole: quotes, holes and all. */
  | "string"
  | "regex"
  | "punctuation"
  | "comment"
  /** A `##` comment. */
  | "doc"
  /** One line end: LF, CRLF or a lone CR. */
  | "newline"
  /** A character that belongs to nothing. */
  | "unknown";

/** Tokens leave out only spaces and tabs between them, and a byte order mark at the start. */
export interface Token extends Span {
  readonly kind: TokenKind;
  /** The `${…}` in a string. */
  readonly interpolations?: readonly Span[];
}

/** Cuts a text into tokens. Every text has some: what is no token of the language is `unknown`. */
export function tokenize(source: Source): readonly Token[] {
  const reader = new SyntaxReader(source.text, { lines: "separate", byIndentation: false });
  return parse(source.text, { startRule: "tokens", reader });
}
