/** Text from elsewhere, made fit for a terminal: nothing in it moves the cursor, and it takes the room it is given. */
import { stripVTControlCharacters } from "node:util";
import { terminalWidth } from "../../grammar/rendering/width.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const CONTROL_BUT_LAYOUT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** One line: line breaks become spaces, colours go, other control characters show as `�`. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replace(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("\t", " ")
    .trim()
    .replace(CONTROL, "�");
}

/** Many lines: line breaks and tabs stay, colours go, other control characters show as `�`. */
export function manyLines(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll("\r\n", "\n")
    .replace(CONTROL_BUT_LAYOUT, "�");
}

let segmenter: Intl.Segmenter | undefined;

/** At most `columns` wide, cut with `…`. */
export function cut(text: string, columns: number): string {
  if (terminalWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  let shown = "";
  let room = columns - 1;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) {
    room -= terminalWidth(segment);
    if (room < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** Exactly `columns` wide where it is not wider already. */
export function pad(text: string, columns: number, side: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, columns - terminalWidth(text)));
  return side === "left" ? text + spaces : spaces + text;
}
