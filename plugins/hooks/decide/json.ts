/** Parses untrusted JSON: bounded in depth, exact in numbers, with precise errors. */
import { parse as locate } from "@humanwhocodes/momoa";

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  /** One sentence with line and column. */
  | { readonly ok: false; readonly message: string };

/** Levels of nesting: far more than real payloads have. */
export const MAX_DEPTH = 100;

export function readJson(text: string): JsonReading {
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    return no(text, deep, `it is nested more than ${MAX_DEPTH} levels deep`);
  }
  try {
    return { ok: true, value: inexact(text) ? parseExactly(text) : JSON.parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return explain(text);
  }
}

/** Whether a number may exceed a double: sixteen digits in a row, or a large exponent. A false positive only costs time. */
const inexact = (text: string): boolean => hasLongDigits(text) || largeExponent.test(text);
const largeExponent = /\d[eE]\+?\d{3,}(?:[\s,\]}]|$)/;

/** Digits in a row. */
const MANY = 16;

/** Such a row has a digit at a multiple of its length: checking those positions is faster. */
function hasLongDigits(text: string): boolean {
  for (let at = MANY - 1; at < text.length; at += MANY) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let [first, last] = [at, at];
    while (isDigit(text.charCodeAt(first - 1))) first -= 1;
    while (isDigit(text.charCodeAt(last + 1))) last += 1;
    if (last - first + 1 >= MANY) return true;
  }
  return false;
}

/** `NaN`, beyond the end, is not a digit. */
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * An integer that a double cannot hold exactly, or at all, becomes its text: a
 * wrong id is worse than a text.
 */
function parseExactly(text: string): unknown {
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  return parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || source === undefined) return value;
    const lost = /^-?\d+$/.test(source) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
    return lost ? source : value;
  });
}
/** The third argument is missing in the library's types. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The position of the first bracket that is nested too deep. */
export function tooDeepAt(text: string): number | undefined {
  if (!hasManyBrackets(text)) return undefined;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_DEPTH) return index;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

/** Few brackets cannot be nested deep: the fast path of most bodies. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of "[{") {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > MAX_DEPTH) return true;
    }
  }
  return false;
}

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let slashes = 0;
  while (quote - 1 - slashes > start && text.charCodeAt(quote - 1 - slashes) === BACKSLASH) {
    slashes += 1;
  }
  return slashes % 2 === 1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A second, slower parse with positions, for invalid texts only. */
function explain(text: string): JsonReading {
  if (text.trim() === "") return { ok: false, message: "The body is empty, not JSON." };
  try {
    locate(text, { mode: "json" });
  } catch (thrown) {
    const { line, column } = thrown as { line?: number; column?: number };
    if (line !== undefined && column !== undefined) {
      return { ok: false, message: sentence(`line ${line}, column ${column}`) };
    }
  }
  return { ok: false, message: sentence() };
}

function no(text: string, offset: number, why: string): JsonReading {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return { ok: false, message: sentence(`line ${line}, column ${column}`, why) };
}

const sentence = (position?: string, why = "unexpected character"): string =>
  position === undefined
    ? "The body is not valid JSON."
    : `The body is not valid JSON at ${position}: ${why}.`;
