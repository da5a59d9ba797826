/**
 * What a string says: escapes decoded, block strings freed from their indentation.
 * Pure; complaints carry offsets in the file.
 */
import { createMistake, type Mistake, type ReportMistake } from "../mistakes/mistake.js";
import { code } from "../mistakes/wording.js";
import { indentation, isLineEnd, lineStart, match, skipBlanks } from "./lexemes.js";

const SIMPLE: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "\\": "\\",
  $: "$",
};
const ESCAPE = /\\(?:u\{([0-9A-Fa-f_]*)\}|([^\r\n])|$)/gu;
const FOREIGN_UNICODE = /\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8}))/y;

/** Decodes the escapes of a piece of string text that stands at `start` in the file. */
export function decodeEscapes(raw: string, start: number, report: ReportMistake): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(ESCAPE, (sequence, hex: string | undefined, character: string, at: number) => {
    if (hex !== undefined) return decodeCodePoint(sequence, hex, start + at, report);
    const simple = character === undefined ? undefined : SIMPLE[character];
    if (simple !== undefined) return simple;
    report(unknownEscape(raw, at, sequence, start + at));
    return sequence;
  });
}

function decodeCodePoint(sequence: string, hex: string, at: number, report: ReportMistake): string {
  const value = /^[0-9A-Fa-f]{1,6}$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  if (value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff))
    return String.fromCodePoint(value);
  report(
    createMistake(
      "E022",
      at,
      at + sequence.length,
      `${code(sequence)} is not a Unicode character`,
      {
        help: "write one to six hexadecimal digits, up to 10FFFF, no surrogates",
      },
    ),
  );
  return sequence;
}

function unknownEscape(raw: string, at: number, sequence: string, start: number): Mistake {
  const foreignEnd = match(FOREIGN_UNICODE, raw, at);
  if (foreignEnd > 0) {
    const digits = raw.slice(at + 2, foreignEnd).replace(/^0+(?=.)/, "");
    const meant = `\\u{${digits}}`;
    return createMistake(
      "E022",
      start,
      start + foreignEnd - at,
      `unknown escape ${code(sequence)} in a string`,
      {
        label: `write ${code(meant)}`,
        replacement: meant,
      },
    );
  }
  const end = start + sequence.length;
  if (sequence === "\\'") {
    return createMistake("E022", start, end, "`'` needs no escape in a string", {
      label: "write `'`",
      replacement: "'",
    });
  }
  return createMistake("E022", start, end, `unknown escape ${code(sequence)} in a string`, {
    label: `for a backslash write ${code(`\\${sequence}`)}`,
    help: 'text with many backslashes is easier as a raw string: r"…"',
    replacement: `\\${sequence}`,
  });
}

/** A piece of a block string between holes, as it stands in the file. */
export interface RawText {
  readonly kind: "text";
  readonly start: number;
  readonly end: number;
}

/** Where the content of a block string begins and ends, and what each of its lines must begin with. */
export interface BlockLayout {
  readonly contentStart: number;
  /** The end of the last line of content; before `contentStart` when there is no line at all. */
  readonly contentEnd: number;
  readonly indent: string;
}

/**
 * Finds the layout of a block string and complains where it breaks the form:
 * text begins on the line after the opening quotes, and put the closing quotes alone on their line.
 */
export function blockLayout(
  text: string,
  opened: number,
  closed: number,
  report: ReportMistake,
): BlockLayout {
  const afterWord = skipBlanks(text, opened);
  const startsOnOwnLine = isLineEnd(text.charCodeAt(afterWord));
  if (!startsOnOwnLine) {
    report(
      createMistake(
        "E029",
        afterWord,
        afterWord + 1,
        "the text of a block string begins on the next line",
        {
          label: 'start a new line after `"""`',
          help: "put the closing quotes alone on their line; for one line use a quoted string",
        },
      ),
    );
    return { contentStart: afterWord, contentEnd: closed, indent: "" };
  }
  const contentStart = afterLineEnd(text, afterWord);
  const lastLine = lineStart(text, closed);
  if (skipBlanks(text, lastLine) !== closed) {
    report(
      createMistake(
        "E029",
        closed,
        closed + 3,
        "the closing quotes of a block string must be alone on their line",
        {
          label: "move them to the next line",
          help: 'three quotes inside the text are written `\\"""`',
        },
      ),
    );
    return { contentStart, contentEnd: closed, indent: "" };
  }
  return {
    contentStart,
    contentEnd: beforeLineEnd(text, lastLine),
    indent: text.slice(lastLine, closed),
  };
}

/**
 * The value of one piece of a block string: indentation removed, line ends as LF, escapes decoded unless raw.
 * `report` hears about lines that are indented less than the closing quotes.
 */
export function blockText(
  text: string,
  piece: RawText,
  layout: BlockLayout,
  raw: boolean,
  report: ReportMistake,
): string {
  const start = Math.max(piece.start, layout.contentStart);
  const end = Math.min(piece.end, layout.contentEnd);
  let value = "";
  let at = start;
  // A line may begin exactly where a hole begins: then nothing of it is ours, but its indentation is still judged.
  while (at < end || (at === end && at > start && at < layout.contentEnd && beginsLine(at))) {
    const from = beginsLine(at) ? withoutIndent(text, at, layout.indent, report) : at;
    let to = from;
    while (to < end && !isLineEnd(text.charCodeAt(to))) to++;
    value += raw ? text.slice(from, to) : decodeEscapes(text.slice(from, to), from, report);
    if (to >= end) break;
    value += "\n";
    at = afterLineEnd(text, to);
  }
  return value;

  function beginsLine(position: number): boolean {
    return position === layout.contentStart || isLineEnd(text.charCodeAt(position - 1));
  }
}

/** Where the line that begins at `at` really begins. Lines of blanks alone are empty. */
function withoutIndent(text: string, at: number, indent: string, report: ReportMistake): number {
  if (text.startsWith(indent, at)) return at + indent.length;
  const firstInk = skipBlanks(text, at);
  if (isLineEnd(text.charCodeAt(firstInk))) return firstInk;
  report(
    createMistake(
      "E029",
      firstInk,
      firstInk + 1,
      "this line is indented less than the closing quotes",
      {
        label: "begins left of the closing quotes",
        help: "every line of a block string begins with the same blanks as its closing quotes",
      },
    ),
  );
  return firstInk;
}

function afterLineEnd(text: string, at: number): number {
  return text.startsWith("\r\n", at) ? at + 2 : at + 1;
}

function beforeLineEnd(text: string, at: number): number {
  return text.startsWith("\r\n", at - 2) ? at - 2 : at - 1;
}

/**
 * Where an unclosed block string probably ends: before the first line that is indented no more than the line it was
 * opened on. So the rest of the file is still read.
 */
export function abandonedBlockEnd(text: string, opened: number): number {
  const limit = indentation(text, opened);
  let at = opened;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  while (at < text.length) {
    const next = afterLineEnd(text, at);
    const ink = skipBlanks(text, next);
    const empty = ink >= text.length || isLineEnd(text.charCodeAt(ink));
    if (!empty && ink - next <= limit) return at;
    at = next;
    while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  }
  return text.length;
}
