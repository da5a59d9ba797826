/** Tokens of HCL without comments and blanks. Operators are not told apart. */

export interface HclToken {
  readonly kind:
    | "word"
    | "text"
    | "newline"
    | "other"
    | "{"
    | "}"
    | "["
    | "]"
    | "("
    | ")"
    | "="
    | ","
    | ":";
  /** Of a word or a string: its text. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** A string without escapes and `${…}`. */
  readonly plain: boolean;
}

type HclErrorFactory = (start: number, what: string) => Error;

const BLANK = /[ \t\r\uFEFF]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /[\p{L}_][\p{L}\p{N}_-]*/uy;
const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)[ \t\r]*\n/uy;
const SIGN = /==|!=|<=|>=|=>|&&|\|\||[{}[\]()=,:]|\n|\d[\w.]*|./sy;
const SIGNS = new Set(["{", "}", "[", "]", "(", ")", "=", ",", ":"]);

/** @throws the result of `createError` for a string that does not end */
export function hclTokens(text: string, createError: HclErrorFactory): readonly HclToken[] {
  const found: HclToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const blank = match(BLANK);
    if (blank) {
      at += blank[0].length;
      continue;
    }
    const start = at;
    const word = match(WORD);
    if (word) {
      at += word[0].length;
      found.push({ kind: "word", value: word[0], start, end: at, plain: true });
      continue;
    }
    if (text[at] === '"') {
      const end = endOfText(text, at, 0);
      if (end === undefined) throw createError(start, "a string is not closed");
      const value = text.slice(start + 1, end - 1);
      found.push({ kind: "text", value, start, end, plain: !/[\\]|[$%]\{/.test(value) });
      at = end;
      continue;
    }
    const heredoc = match(HEREDOC);
    if (heredoc) {
      const close = new RegExp(`^[ \\t]*${heredoc[1]}[ \\t\\r]*$`, "m");
      const from = at + heredoc[0].length;
      const last = close.exec(text.slice(from));
      if (!last) throw createError(start, `<<${heredoc[1]} is not closed`);
      at = from + last.index + last[0].length;
      found.push({ kind: "other", value: "", start, end: at, plain: false });
      continue;
    }
    const [sign = ""] = match(SIGN) ?? [];
    at += Math.max(1, sign.length);
    const kind = sign === "\n" ? "newline" : SIGNS.has(sign) ? (sign as HclToken["kind"]) : "other";
    found.push({ kind, value: sign, start, end: at, plain: true });
  }
  return found;
}

const DEEPEST = 50;

/** The offset after the closing quote, skipping quotes inside `${…}`. Undefined where there is none. */
function endOfText(text: string, start: number, depth: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "\n") return undefined;
    if (letter === '"') return at + 1;
    if (letter === "\\") at += 1;
    else if (begins(text, at)) {
      const end = endOfTemplate(text, at + 2, depth + 1);
      if (end === undefined) return undefined;
      at = end - 1;
    }
  }
  return undefined;
}

/** `${` and `%{`, but not the escape `$${`. */
const begins = (text: string, at: number): boolean =>
  (text[at] === "$" || text[at] === "%") && text[at + 1] === "{" && text[at - 1] !== text[at];

function endOfTemplate(text: string, start: number, depth: number): number | undefined {
  if (depth > DEEPEST) return undefined;
  let open = 1;
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') {
      const end = endOfText(text, at, depth);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (letter === "{") open += 1;
    else if (letter === "}") {
      open -= 1;
      if (open === 0) return at + 1;
    }
  }
  return undefined;
}
