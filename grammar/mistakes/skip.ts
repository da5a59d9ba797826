/**
 * Finding the way back after a mistake: over balanced brackets, strings and comments to a place where reading goes on.
 */

import { isLineEnd, looksLikeItem, match, skipBlanks, skipLine } from "../reading/lexemes.js";
import { abandonedBlockEnd } from "../reading/strings.js";

const RAW_STRING = /re?"(?!"")[^"\r\n]*"?/y;
const RAW_BLOCK = /r"""/y;
const WORD = /[A-Za-z0-9_]+/y;
const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * The end of the bracketed group that opens at `position`. When it is never closed, or closed by the wrong bracket,
 * the bitwise complement (a negative number) of the place where that shows.
 * A stack instead of recursion: the nesting of hostile input has no limit.
 */
function groupEnd(text: string, position: number): number {
  /** What must come next to close: `)`, `]`, `}`, `"` or `"""`; inside the last two we are in a string. */
  const awaited: string[] = [];
  let at = position;
  while (at < text.length) {
    const inside = awaited.at(-1);
    if (inside === '"' || inside === '"""') {
      at = stepInString(text, at, inside, awaited);
      continue;
    }
    const character = text.charAt(at);
    const closer = CLOSER[character];
    if (closer !== undefined) {
      awaited.push(closer);
      at++;
    } else if (character === inside) {
      awaited.pop();
      at++;
      if (awaited.length === 0) return at;
    } else if (character === ")" || character === "]" || character === "}") {
      return ~at;
    } else {
      at = stepInCode(text, at, character, awaited);
    }
  }
  return ~at;
}

function stepInString(text: string, at: number, quotes: string, awaited: string[]): number {
  if (text.startsWith(quotes, at)) {
    awaited.pop();
    return at + quotes.length;
  }
  if (text.startsWith("${", at)) {
    awaited.push("}");
    return at + 2;
  }
  if (quotes === '"' && isLineEnd(text.charCodeAt(at))) {
    awaited.pop();
    return at;
  }
  return text.charCodeAt(at) === 92 ? at + 2 : at + 1;
}

function stepInCode(text: string, at: number, character: string, awaited: string[]): number {
  if (character === "#") return skipLine(text, at);
  if (character === '"') {
    const quotes = text.startsWith('"""', at) ? '"""' : '"';
    awaited.push(quotes);
    return at + quotes.length;
  }
  if (character === "r") {
    if (match(RAW_BLOCK, text, at) > 0) return rawBlockEnd(text, at);
    const raw = match(RAW_STRING, text, at);
    if (raw > 0) return raw;
  }
  const word = match(WORD, text, at);
  return word > 0 ? word : at + 1;
}

function rawBlockEnd(text: string, at: number): number {
  const close = text.indexOf('"""', at + 4);
  return close < 0 ? text.length : close + 3;
}

/** The end of the string that begins at `position`, closed or not. */
export function stringEnd(text: string, position: number): number {
  if (text.startsWith('"""', position)) {
    const close = text.indexOf('"""', position + 3);
    return close < 0 ? abandonedBlockEnd(text, position) : close + 3;
  }
  const awaited = ['"'];
  let at = position + 1;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) {
    const inside = awaited.at(-1);
    if (inside === undefined) return at;
    if (inside === '"') at = stepInString(text, at, inside, awaited);
    else if (text.charAt(at) === "}") {
      awaited.pop();
      at++;
    } else if (text.charAt(at) === '"') {
      awaited.push('"');
      at++;
    } else at++;
  }
  return Math.min(at, text.length);
}

/** How far something reaches: up to a character outside of brackets and strings, or one of two other signs. */
interface Extent {
  readonly stop: RegExp;
  readonly endsAt?: (text: string, at: number) => boolean;
  /** Whether it ends with a line, given what stands on the next. */
  readonly endsAbove?: (text: string, below: number) => boolean;
}

const STATEMENT: Extent = { stop: /[\n\r;}#]/, endsAt: opensBody };
const ENTRY: Extent = { stop: /[\n\r,)\]}#]/ };
const ELEMENT: Extent = {
  stop: /[,)\]}#]/,
  endsAbove: (text, below) => text.charAt(below) === "}" || looksLikeItem(text, below),
};

/** How far brackets without an end may be searched for it, all together; keeps hostile input linear. */
const SEARCH_BUDGET = 4 * 1024 * 1024;

/** Skips what cannot be read. */
export class Skipper {
  #searched = 0;

  constructor(private readonly text: string) {}

  /** To the end of the statement, or to the `{` of its body. */
  statement(position: number): number {
    return this.#skip(position, STATEMENT);
  }

  /** To the end of a list's element. */
  element(position: number): number {
    return this.#skip(position, ELEMENT);
  }

  /** To the end of an object's entry. */
  entry(position: number): number {
    return this.#skip(position, ENTRY);
  }

  /** Over a group, or to the end of its line when it has no end. */
  group(position: number): number {
    const end = this.#groupEnd(position);
    return end < 0 ? skipLine(this.text, position) : end;
  }

  #skip(position: number, { stop, endsAt, endsAbove }: Extent): number {
    const { text } = this;
    let at = position;
    let bracketsCount = true;
    while (at < text.length) {
      const character = text.charAt(at);
      if (stop.test(character) || endsAt?.(text, at)) return at;
      if (isLineEnd(text.charCodeAt(at))) {
        const below = skipBlankLines(text, at);
        if (endsAbove?.(text, below)) return at;
        at = below;
      } else if (character === '"') at = stringEnd(text, at);
      else if (bracketsCount && CLOSER[character] !== undefined) {
        const end = this.#groupEnd(at);
        bracketsCount = end >= 0;
        at = end < 0 ? at + 1 : end;
      } else at++;
    }
    return at;
  }

  /** -1 when the group has no end. */
  #groupEnd(position: number): number {
    if (this.#searched > SEARCH_BUDGET) return -1;
    const end = groupEnd(this.text, position);
    if (end >= 0) return end;
    this.#searched += ~end - position;
    return -1;
  }
}

function skipBlankLines(text: string, lineEnd: number): number {
  let at = lineEnd;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** Whether a `{` is the last thing on its line, as where a body begins. */
function opensBody(text: string, brace: number): boolean {
  if (text.charAt(brace) !== "{") return false;
  const next = skipBlanks(text, brace + 1);
  return next >= text.length || "\r\n#".includes(text.charAt(next));
}
