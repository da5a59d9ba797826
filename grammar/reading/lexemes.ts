/**
 * The smallest pieces of the text: sticky patterns for lexemes, and scanners for what lies between them.
 * Positions are UTF-16 offsets. A line ends with LF, CRLF or a lone CR.
 */

export const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Everything that starts like a number, well formed or not; `numbers.ts` judges it. `%` belongs to it unless a value follows. */
export const NUMBER_LEXEME =
  /0[xX][0-9A-Za-z_]*|[0-9](?:[0-9A-Za-z_]|\.(?=[0-9]))*(?:(?<=[0-9][eE])[+-][0-9]+)?(?:%(?![0-9A-Za-z_("]))?/y;
/** `===`, `<>` and `<<` are no operators, so that they can be named. `/-` is never a division: it disables an item. `//` and `/*` are other languages' comments. */
export const OPERATOR =
  /\?\?|\|\||&&|==(?!=)|!=(?!=)|=~|<(?![<>])=?|>=?|[+\-*%]|\/(?![-/*])|in\b(?![ \t]*=(?![=~]))/y;
/** `?.` is no operator, so that it can be named. */
export const QUESTION = /\?(?!\?|\.[A-Za-z_])/y;
export const COLON = /:/y;
export const ELSE = /else\b(?![ \t]*=(?![=~]))/y;
export const ELSE_IF = /(?:else[ \t]+if|el(?:se?)?if)\b(?![ \t]*=(?![=~]))/y;
/** A whole string without escapes and holes, as most are. */
export const PLAIN_STRING = /"[^"\\$\r\n]*(?:\$(?!\{)[^"\\$\r\n]*)*"(?!")/y;
/** `r"…` up to the closing quote, `re"…` likewise. */
export const RAW_STRING = /r"[^"\r\n]*/y;
export const REGEX_LEXEME = /re"[^"\r\n]*/y;
/** A word that can be a value: not one that belongs to a form of its own. */
export const VALUE_WORD = /(?!(?:for|in|if|else|import|use)\b)[A-Za-z_][A-Za-z0-9_]*/y;
export const LINE_END = /\r\n?|\n/y;
export const PUNCTUATION = /\?\?|\|\||&&|==|=>|!=|=~|<=|>=|\/-|[-+*/%<>=!?:,;.(){}[\]]/y;
/** One character that belongs to nothing, whole even where it takes two code units. */
export const UNKNOWN = /./suy;
export const COMMENT = /#[^\n\r]*/y;
export const REGEX_FLAGS = /[A-Za-z0-9_]*/y;
/** What may stand behind an opening `"""`. */
export const BLOCK_LANGUAGE = /[A-Za-z][A-Za-z0-9_+.-]*/y;

/** The start of an item, as far as one line shows it: `name =`, `kind "label"`, `kind {`, `for x in`, `/-`. */
const ITEM_START =
  /(?:[A-Za-z_]\w*[ \t]*=(?![=~])|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:[ \t]+"|[ \t]*\{)|(?:let|for|param)[ \t]+[A-Za-z_]\w*|(?:use|if)[ \t]+[A-Za-z_!(]|\/-)/y;

/** Words with a meaning of their own; a loop variable or an alias cannot be called so. */
export const RESERVED: ReadonlySet<string> = new Set([
  "let",
  "import",
  "mixin",
  "use",
  "for",
  "in",
  "if",
  "else",
  "test",
  "plugin",
  "daemon",
  "true",
  "false",
  "null",
]);

/** The end of a sticky pattern's match at `position`, or -1. */
export function match(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const SEMICOLON = 59;
const BACKSLASH = 92;
const OPEN_BRACE = 123;

export const isLineEnd = (code: number): boolean => code === LF || code === CR;

/** Whether a space or tab stands here. */
export function isBlank(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code === SPACE || code === TAB;
}

/** Skips spaces and tabs. */
export function skipBlanks(text: string, position: number): number {
  let at = position;
  for (let code = text.charCodeAt(at); code === SPACE || code === TAB; )
    code = text.charCodeAt(++at);
  return at;
}

/** Where the spaces and tabs before `position` begin. */
export function startOfBlanks(text: string, position: number): number {
  let at = position;
  for (let code = text.charCodeAt(at - 1); code === SPACE || code === TAB; ) {
    code = text.charCodeAt(--at - 1);
  }
  return at;
}

/** Skips to the line's end, which stays. */
export function skipLine(text: string, position: number): number {
  let at = position;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  return at;
}

/** Skips spaces, line ends and comments. */
export function skipTrivia(text: string, position: number): number {
  let at = position;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB || code === LF || code === CR) at++;
    else if (code === HASH) at = skipLine(text, at);
    else return at;
  }
}

const FOR_HEAD = /for[ \t]+[A-Za-z_(]/y;

/** Whether an object made by `for` opens here; `for` may also be the first key of an object. */
export function opensObjectFor(text: string, brace: number): boolean {
  return text.charAt(brace) === "{" && match(FOR_HEAD, text, skipTrivia(text, brace + 1)) >= 0;
}

/** Whether nothing but blanks stands before `position` on its line. */
export function isFirstOnLine(text: string, position: number): boolean {
  let at = position - 1;
  while (at >= 0 && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at--;
  return at < 0 || isLineEnd(text.charCodeAt(at));
}

/** Where the line of `position` begins. */
export function lineStart(text: string, position: number): number {
  let at = position;
  while (at > 0 && !isLineEnd(text.charCodeAt(at - 1))) at--;
  return at;
}

/** How many blanks the line of `position` begins with. */
export function indentation(text: string, position: number): number {
  const start = lineStart(text, position);
  return skipBlanks(text, start) - start;
}

/** Whether a new item seems to begin here: it does not continue what stands on the lines above. */
export function looksLikeItem(text: string, position: number): boolean {
  return match(ITEM_START, text, position) >= 0 && isFirstOnLine(text, position);
}

/** What lies between two items: separators, comments, and the `##` lines that belong to the next one. */
export interface Gap {
  readonly end: number;
  /** Where the doc comment begins; -1 without one. */
  readonly docStart: number;
}

/** Skips what may stand between items. A `##` line counts when only `##` lines follow it up to the item. */
export function skipBetween(text: string, position: number): Gap {
  let at = position;
  let docStart = -1;
  let separated = false;
  let emptyLine = position === 0 || (position === 1 && text.startsWith("\ufeff"));
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB) at++;
    else if (code === LF || code === CR) {
      if (emptyLine && !separated) docStart = -1;
      emptyLine = true;
      separated = false;
      at += code === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
    } else if (code === HASH) {
      if (!(emptyLine && isDocComment(text, at))) docStart = -1;
      else if (docStart < 0) docStart = at;
      emptyLine = false;
      at = skipLine(text, at);
    } else if (code === SEMICOLON) {
      // One that begins a line separates nothing.
      if (!emptyLine) docStart = -1;
      separated = true;
      at++;
    } else return { end: at, docStart };
  }
}

/** `##` and something else: a row of `#` is an ornament. */
export function isDocComment(text: string, position: number): boolean {
  return text.startsWith("##", position) && text.charCodeAt(position + 2) !== HASH;
}

/** The words of a doc comment: its `##` marks, one space after each and the indentation are taken off. */
export function docText(text: string, start: number, end: number): string {
  return text
    .slice(start, end)
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^[;\s]+|\s+$/g, ""))
    .filter((line) => line.startsWith("##"))
    .map((line) => line.replace(/^## ?/, ""))
    .join("\n");
}

/**
 * The end of a run of literal text in a quoted string: at its closing quote, a `${` or the line's end.
 * Escapes are skipped, not judged.
 */
export function quotedTextEnd(text: string, position: number): number {
  let at = position;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || isLineEnd(code)) return at;
    if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN_BRACE) return at;
    if (code === BACKSLASH && !isLineEnd(text.charCodeAt(at + 1))) at++;
  }
  return text.length;
}

/** An item on a line of its own, blocks without labels left out: text may look like these. */
const ITEM =
  /[ \t]*(?:[A-Za-z_]\w*[ \t]+=[ \t]|(?:let|for|param)[ \t]+[A-Za-z_]\w*[ \t]+(?:=|in)[ \t])/y;
/** A quote that ends a string. */
const CLOSES = /^"[ \t]*[)\]},;]*[ \t]*(?:#.*)?$/;

/** Lines of a string that is not closed on its own line, at most. */
const WRAPPED_LINES = 20;

/** Behind the quote that closes an unclosed string on a later line; `position` where no line seems to belong to it. */
export function wrappedTextEnd(text: string, position: number): number {
  let at = position;
  for (let line = 0; line < WRAPPED_LINES && at < text.length; line += 1) {
    const start = text.startsWith("\r\n", at) ? at + 2 : at + 1;
    const end = skipLine(text, start);
    const content = text.slice(start, end);
    const quote = content.indexOf('"');
    if (quote !== content.lastIndexOf('"') || match(ITEM, text, start) >= 0) return position;
    if (quote >= 0) return CLOSES.test(content.slice(quote)) ? start + quote + 1 : position;
    at = end;
  }
  return position;
}

/** The same in a block string: at `"""`, a `${` or the end of the file. */
export function blockTextEnd(text: string, position: number): number {
  let at = position;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && text.startsWith('"""', at)) return at;
    if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN_BRACE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/** In a raw block string everything is text up to `"""`. */
export function rawBlockTextEnd(text: string, position: number): number {
  const end = text.indexOf('"""', position);
  return end < 0 ? text.length : end;
}
