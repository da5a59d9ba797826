/**
 * One line of source as it can be shown above a row of carets: tabs expanded, nothing in it that could move the cursor,
 * and of a very long line only the part around the carets. Everything is counted in columns of the screen.
 */

import { UNPRINTABLE } from "../mistakes/wording.js";
import { terminalWidth } from "./width.js";

export interface Excerpt {
  readonly text: string;
  /** Columns before the first caret. */
  readonly indent: number;
  /** How many carets; at least one. */
  readonly carets: number;
}

const TAB = 4;
const CUT = "…";

/** A user-perceived character with the columns it takes and the code unit it begins at. */
interface Cell {
  readonly text: string;
  readonly width: number;
  readonly at: number;
}

/**
 * `start` and `end` are code units of the line, `end` exclusive; `columns` is the room for the line.
 * A caret never begins inside a character.
 */
export function excerptLine(line: string, start: number, end: number, columns: number): Excerpt {
  const reach = columns * 4;
  const near = line.slice(Math.max(0, start - reach), start + reach);
  return near.length === line.length
    ? context(line, { start, end, columns, cutBefore: false, cutBehind: false })
    : context(near, {
        start: Math.min(start, reach),
        end: end - start + Math.min(start, reach),
        columns,
        cutBefore: start > reach,
        cutBehind: start + reach < line.length,
      });
}

interface Marks {
  readonly start: number;
  readonly end: number;
  readonly columns: number;
  /** Something of the line stands before or behind, and is not looked at because it is far away. */
  readonly cutBefore: boolean;
  readonly cutBehind: boolean;
}

function context(line: string, { start, end, columns, cutBefore, cutBehind }: Marks): Excerpt {
  const cells = toCells(line);
  const first = cells.findIndex(({ at, text }) => start < at + text.length);
  const from = first < 0 ? cells.length : first;
  const firstBehind = cells.findIndex(({ at }) => at >= Math.max(end, start + 1));
  const to = firstBehind < 0 ? cells.length : firstBehind;
  const [low, high] = window(cells, from, Math.max(to, from), columns);
  const before = cutBefore || low > 0 ? CUT : "";
  const behind = cutBehind || high < cells.length ? CUT : "";
  const shown = cells.slice(low, high).map(({ text, width }) => visible(text, width));
  return {
    text: before + shown.join("") + behind,
    indent: before.length + widthOf(cells.slice(low, from)),
    carets: Math.max(1, widthOf(cells.slice(from, Math.min(to, high)))),
  };
}

/** Which cells to show: all of them if they fit, else those around the carets. */
function window(cells: readonly Cell[], from: number, to: number, columns: number) {
  if (widthOf(cells) <= columns) return [0, cells.length] as const;
  const room = columns - 2 * CUT.length;
  let low = Math.min(from, cells.length - 1);
  let high = low + 1;
  let used = cells[low]?.width ?? 0;
  const take = (cell: Cell | undefined) => {
    if (cell === undefined || used + cell.width > room) return false;
    used += cell.width;
    return true;
  };
  while (high < to && take(cells[high])) high++;
  for (let grows = true; grows; ) {
    const before = take(cells[low - 1]);
    if (before) low--;
    const behind = take(cells[high]);
    if (behind) high++;
    grows = before || behind;
  }
  return [low, high] as const;
}

let segmenter: Intl.Segmenter | undefined;

/** Made when it is needed: its tables take their time. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter;
}

function toCells(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const [text, at] of characters(line)) {
    const width = text === "\t" ? TAB - (column % TAB) : printedWidth(text);
    cells.push({ text, width, at });
    column += width;
  }
  return cells;
}

/** Segmenting is slow, and most lines need none. */
function* characters(line: string): Iterable<readonly [text: string, at: number]> {
  if (/^[\t -~]*$/.test(line)) {
    for (let at = 0; at < line.length; at++) yield [line.charAt(at), at];
    return;
  }
  for (const { segment, index } of graphemes().segment(line)) yield [segment, index];
}

function printedWidth(text: string): number {
  if (text.length === 1 && text >= " " && text <= "~") return 1;
  return terminalWidth(printable(text));
}

function visible(text: string, width: number): string {
  return text === "\t" ? " ".repeat(width) : printable(text);
}

/** The text with everything that has no shape of its own shown as `�`. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(UNPRINTABLE, (character) => (JOINERS.has(character) ? character : "�"));
}

/** Parts of emoji and of some scripts: invisible, and not to be taken out. */
const JOINERS: ReadonlySet<string> = new Set(["\u200c", "\u200d"]);

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}
