/** What stands at a place in the text, and how it is called in a sentence. */
import { isLineEnd, match, NAME, NUMBER_LEXEME, OPERATOR } from "../reading/lexemes.js";
import { stringEnd } from "./skip.js";
import { code } from "./wording.js";

const STRAY_OPERATOR = /[=!<>?:&|+\-*/%.~^]+/y;

/** Whether nothing more stands on the line here. */
export function endsLine(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === "" || "\n\r#;}".includes(character);
}

/** The end of the lexeme at `at`; always behind it, except at the end of the text. */
export function lexemeEnd(text: string, at: number): number {
  if (at >= text.length) return at;
  if (text.charAt(at) === '"') return stringEnd(text, at);
  for (const pattern of [NAME, NUMBER_LEXEME, OPERATOR, STRAY_OPERATOR]) {
    const end = match(pattern, text, at);
    if (end > at) return end;
  }
  return at + String.fromCodePoint(text.codePointAt(at) ?? 0).length;
}

/** The same, but nothing where the line ends. */
export function lexemeEndOnLine(text: string, at: number): number {
  return isLineEnd(text.charCodeAt(at)) ? at : lexemeEnd(text, at);
}

/** Describes the text at `at`. */
export function describeLexeme(text: string, at: number): string {
  if (at >= text.length) return "the end of the file";
  if (isLineEnd(text.charCodeAt(at))) return "the end of the line";
  const character = text.charAt(at);
  if (character === "#") return "a comment";
  if (character === '"') return "a string";
  return code(text.slice(at, lexemeEnd(text, at)));
}

/** The name or keyword at `at`; empty when there is none. */
export function wordAt(text: string, at: number): string {
  const end = match(NAME, text, at);
  return end < 0 ? "" : text.slice(at, end);
}

/** The operator, bracket or keyword directly before `at`, over blanks and lines. */
export function lexemeBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 200), at).trimEnd();
  const [lexeme = ""] =
    /(?:\?\?|\|\||&&|==|!=|=~|=>|<=|>=|\$\{|[-+*/%=<>!?:,([{])$|\b(?:in|if|use|for)$/.exec(
      before,
    ) ?? [];
  return lexeme;
}
