/** Splits a template into text and actions between `{{` and `}}`. */

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly words: readonly Word[]; readonly offset: number };

export interface Word {
  readonly kind: "name" | "variable" | "text" | "number" | "mark" | "dot";
  readonly text: string;
}

/** A mistake in a template, with its position. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** @throws TemplateError */
export function piecesOf(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimmed = false;
  const text = (to: number, trimEnd: boolean): void => {
    let written = source.slice(at, to);
    if (trimmed) written = written.replace(/^[ \t\r\n]+/, "");
    if (trimEnd) written = written.replace(/[ \t\r\n]+$/, "");
    if (written !== "") pieces.push({ kind: "text", text: written });
  };
  for (;;) {
    const open = source.indexOf("{{", at);
    if (open === -1) break;
    const trimsBefore = /^\{\{-[ \t\r\n]/.test(source.slice(open, open + 4));
    text(open, trimsBefore);
    const begin = open + (trimsBefore ? 3 : 2);
    const { words, end, trims } = actionAt(source, begin);
    if (words.length > 0) pieces.push({ kind: "action", words, offset: open });
    at = end;
    trimmed = trims;
  }
  text(source.length, false);
  return pieces;
}

interface Action {
  readonly words: readonly Word[];
  readonly end: number;
  readonly trims: boolean;
}

const token =
  /([ \t\r\n]+)|(\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*")|(`[^`]*`)|([-+]?\d[\d.eExXa-fA-F_]*)|(\$[A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*)|(\.[A-Za-z_][A-Za-z0-9_]*|\.)|(:=|[|(),=])/y;

function actionAt(source: string, begin: number): Action {
  const words: Word[] = [];
  let at = begin;
  for (;;) {
    const close = /[ \t\r\n]+-\}\}|\}\}/y;
    close.lastIndex = at;
    const [closing] = close.exec(source) ?? [];
    if (closing !== undefined) {
      return { words, end: at + closing.length, trims: closing.length > 2 };
    }
    token.lastIndex = at;
    const found = token.exec(source);
    if (!found) {
      const message =
        at >= source.length ? "an action `{{` is never closed" : "this means nothing in an action";
      throw new TemplateError(message, at >= source.length ? begin - 2 : at);
    }
    const word = wordOf(found, at);
    if (word) words.push(word);
    at += found[0].length;
  }
}

function wordOf(found: RegExpExecArray, at: number): Word | undefined {
  const [, , , quoted, raw, number, variable, name, dot, mark] = found;
  if (quoted !== undefined) return { kind: "text", text: unquoted(quoted, at) };
  if (raw !== undefined) return { kind: "text", text: raw.slice(1, -1) };
  if (number !== undefined) return { kind: "number", text: number };
  if (variable !== undefined) return { kind: "variable", text: variable };
  if (name !== undefined) return { kind: "name", text: name };
  if (dot !== undefined) return { kind: "dot", text: dot };
  return mark === undefined ? undefined : { kind: "mark", text: mark };
}

function unquoted(written: string, at: number): string {
  try {
    return JSON.parse(written.replaceAll("\\'", "'").replaceAll("\\a", "\\u0007")) as string;
  } catch {
    throw new TemplateError("this text has an escape that is not valid", at);
  }
}
