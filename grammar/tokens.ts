/** A text as its tokens, comments included, for the formatter and highlighting. */
import type { Source } from "./diagnostic.js";
import { SyntaxReader } from "./reading/syntax-reader.js";
import { parse } from "./reeve.peggy.js";
import type { Span } from "./tree.js";

export type TokenKind =
  | "name"
  | "number"
  /** Any form of string, including quotes and interpolations. */
  | "string"
  | "regex"
  | "punctuation"
  | "comment"
  /** A `##` comment. */
  | "doc"
  /** One line end: LF, CRLF or a lone CR. */
  | "newline"
  /** A character that is not part of any token. */
  | "unknown";

/** Tokens leave out only spaces and tabs between them, and a byte order mark at the start. */
export interface Token extends Span {
  readonly kind: TokenKind;
  /** The `${…}` in a string. */
  readonly interpolations?: readonly Span[];
}

/** Splits a text into tokens. Invalid text becomes `unknown` tokens. */
export function tokenize(source: Source): readonly Token[] {
  const reader = new SyntaxReader(source.text, { lines: "separate", byIndentation: false });
  return parse(source.text, { startRule: "tokens", reader });
}
