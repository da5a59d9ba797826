/** What is being written at an offset, read from the tokens before it: it holds in texts that do not parse, too. */
import type { Token } from "../../../grammar/index.js";
import type { Span } from "../../../grammar/tree.js";
import type { TextDocument } from "./document.js";
import { insideQuotes } from "./syntax.js";

/** A bracket that is open at the cursor. */
export interface Bracket {
  readonly kind: "body" | "list" | "object" | "call" | "group" | "index";
  readonly start: number;
  /** The significant tokens of the statement or element before the bracket: a block's header, a function's name. */
  readonly before: readonly Token[];
  /** The tokens of the current statement or element. */
  current: Token[];
  /** How many separators there are before the cursor. */
  separators: number;
}

export interface TextCursor {
  readonly offset: number;
  /** Outermost first; the first is the file itself. */
  readonly brackets: readonly Bracket[];
  /** What a completion replaces: the word, or the text of the string, that the cursor is in. */
  readonly word: Span;
  /** The names before the word, joined to it by dots or indexes: `payload.a.` gives `payload`, `a`. */
  readonly path: readonly string[];
  /** The word is the text of a string; `indexOf` is the path that the string is an index of. */
  readonly string?: { readonly indexOf?: readonly string[] };
  /** The cursor is in the `${…}` of a string. */
  readonly interpolated?: true;
  /** The cursor is in a comment, or in a part of a string where nothing is known. */
  readonly silent?: true;
}

const OPERATOR = /^(\?\?|\|\||&&|==|!=|=~|<=|>=|[-+*/%<>?:.,]|in)$/;
const isTrivia = ({ kind }: Token): boolean => kind === "comment" || kind === "doc";

export function cursorAt(document: TextDocument, offset: number): TextCursor {
  const { text, tokens } = document;
  const before: Token[] = [];
  for (const token of tokens) {
    if (token.start >= offset) break;
    const within = token.end > offset || (token.end === offset && isOpenAtEnd(text, token));
    if (isTrivia(token)) {
      if (offset <= token.end && offset > token.start) return silent(offset);
      continue;
    }
    if (token.kind === "string" && within) return inString(document, token, before, offset);
    if (token.kind === "regex" && within) return silent(offset);
    before.push(token);
  }
  return cursorAfter(text, before, offset);
}

/** A string without its closing quote goes on behind its end. */
function isOpenAtEnd(text: string, { kind, start, end }: Token): boolean {
  if (kind !== "string" && kind !== "unknown") return false;
  return end - start === 1 || text[end - 1] !== '"';
}

const silent = (offset: number): TextCursor => ({
  offset,
  brackets: [],
  word: { start: offset, end: offset },
  path: [],
  silent: true,
});

function cursorAfter(text: string, tokens: readonly Token[], offset: number): TextCursor {
  const last = tokens.at(-1);
  const isWord = last?.kind === "name" && last.end >= offset;
  const rest = isWord ? tokens.slice(0, -1) : tokens;
  const word = isWord ? { start: last.start, end: last.end } : { start: offset, end: offset };
  return {
    offset,
    brackets: bracketsOf(text, rest),
    word,
    path: pathBefore(text, rest, word.start),
  };
}

function inString(
  document: TextDocument,
  token: Token,
  before: readonly Token[],
  offset: number,
): TextCursor {
  const { text } = document;
  const interpolation = token.interpolations?.find(
    ({ start, end }) => start + 2 <= offset && offset < end,
  );
  if (interpolation) {
    const part = document.part({ start: interpolation.start + 2, end: offset });
    const inner = part.filter((token) => !isTrivia(token));
    const last = inner.at(-1);
    if (last && last.end >= offset && isOpenAtEnd(text, last)) return silent(offset);
    const { path, word } = cursorAfter(text, inner, offset);
    const brackets = [...bracketsOf(text, before), ...bracketsOf(text, inner).slice(1)];
    return { offset, brackets, word, path, interpolated: true };
  }
  const word = insideQuotes(text, token);
  if (offset < word.start || token.interpolations?.length) return silent(offset);
  const brackets = bracketsOf(text, before);
  const isIndex = brackets.at(-1)?.kind === "index";
  const opened = brackets.at(-1);
  const indexOf = isIndex && opened ? pathOf(text, opened.before) : undefined;
  return { offset, brackets, word, path: [], string: indexOf ? { indexOf } : {} };
}

/** The brackets that are open after the tokens. The first stands for the file. */
function bracketsOf(text: string, tokens: readonly Token[]): readonly Bracket[] {
  const stack: Bracket[] = [{ kind: "body", start: 0, before: [], current: [], separators: 0 }];
  for (const [index, token] of tokens.entries()) {
    const top = stack.at(-1) as Bracket;
    const written = token.kind === "newline" ? "\n" : text.slice(token.start, token.end);
    if (token.kind === "punctuation" && /^[{[(]$/.test(written)) {
      const kind = bracketKind(written, token, top, text);
      const before = top.current.slice();
      stack.push({ kind, start: token.start, before, current: [], separators: 0 });
      top.current.push(token);
    } else if (token.kind === "punctuation" && /^[}\])]$/.test(written)) {
      if (stack.length > 1) stack.pop();
      stack.at(-1)?.current.push(token);
    } else if (isSeparator(written, token, top, tokens.slice(index + 1, index + 3), text)) {
      top.current = [];
      top.separators += 1;
    } else if (token.kind !== "newline") top.current.push(token);
  }
  return stack;
}

function isSeparator(
  written: string,
  { kind }: Token,
  top: Bracket,
  next: readonly Token[],
  text: string,
): boolean {
  if (kind === "punctuation" && written === ",") return top.kind !== "body";
  if (kind === "punctuation" && written === ";") return true;
  if (kind !== "newline" || (top.kind !== "body" && top.kind !== "object")) return false;
  const [following] = next;
  const goesOn = following && OPERATOR.test(text.slice(following.start, following.end));
  return !goesOn && top.current.length > 0;
}

function bracketKind(written: string, token: Token, top: Bracket, text: string): Bracket["kind"] {
  const previous = top.current.at(-1);
  const touches = previous !== undefined && previous.end === token.start;
  const last = previous === undefined ? "" : text.slice(previous.start, previous.end);
  const endsValue =
    previous !== undefined &&
    (previous.kind === "string" ||
      /^[\])}]$/.test(last) ||
      (previous.kind === "name" && last !== "in"));
  if (written === "(")
    return touches && /^(name|string)$/.test(previous?.kind ?? "") ? "call" : "group";
  if (written === "[") return touches && endsValue ? "index" : "list";
  if (top.kind !== "body") return "object";
  const second = top.current[1];
  const isAttribute = second !== undefined && /^=$/.test(text.slice(second.start, second.end));
  const isLet = top.current[2] !== undefined && textOf(text, top.current[2]) === "=";
  return endsValue && !isAttribute && !isLet ? "body" : "object";
}

export const textOf = (text: string, { start, end }: Span): string => text.slice(start, end);

/** The path that ends right before an offset with a dot. */
function pathBefore(text: string, tokens: readonly Token[], offset: number): readonly string[] {
  const last = tokens.at(-1);
  if (!last || textOf(text, last) !== "." || last.end !== offset) return [];
  return pathOf(text, tokens.slice(0, -1));
}

/** The names of a path that ends with the last token: `hook["a"].b` gives `hook`, `a`, `b`. */
export function pathOf(text: string, tokens: readonly Token[]): readonly string[] {
  const names: string[] = [];
  let at = tokens.length - 1;
  for (;;) {
    const token = tokens[at];
    if (!token) return [];
    if (textOf(text, token) === "]") {
      const index = tokens[at - 1];
      if (!index || textOf(text, tokens[at - 2] ?? index) !== "[") return [];
      names.unshift(unquoted(text, index));
      at -= 3;
      continue;
    }
    if (token.kind !== "name") return [];
    names.unshift(textOf(text, token));
    if (textOf(text, tokens[at - 1] ?? token) !== ".") return names;
    at -= 2;
  }
}

function unquoted(text: string, token: Token): string {
  return token.kind === "string" ? textOf(text, insideQuotes(text, token)) : textOf(text, token);
}
