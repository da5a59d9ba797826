/** Zones of a frame that can be clicked: parts of lines with a name, marked only when a click is looked up. */
import { stripVTControlCharacters } from "node:util";
import { widthOf } from "./lines.js";
import type { Theme } from "./theme.js";

/** An operating system command with a number that no terminal has; it is never written to one. */
const START = "\u001b]7777;";
const END = "\u001b\\";
// biome-ignore lint/suspicious/noControlCharactersInRegex: marks begin with one.
const MARK = /\u001b\]7777;([^\u001b]*)\u001b\\/g;

/** `row:3`, `screen:hooks`, `tab:1`, `sort:2`, `key:Enter`, `entry:0`. */
export type ZoneName = `${"row" | "screen" | "tab" | "sort" | "key" | "entry"}:${string}`;

/** The text, as a zone where the theme marks them. */
export const zoned = (theme: Theme, name: ZoneName, text: string): string =>
  theme.zone?.(name, text) ?? text;

/** The same theme, with marks. */
export const markingTheme = (theme: Theme): Theme => ({
  ...theme,
  zone: (name, text) => `${START}${name}${END}${text}${START}${END}`,
});

/** The innermost zone at a cell of a marked line. */
export function zoneAt(line: string, column: number): string | undefined {
  const open: string[] = [];
  let from = 0;
  let left = column;
  for (const mark of line.matchAll(MARK)) {
    left -= widthOf(stripVTControlCharacters(line.slice(from, mark.index)));
    if (left < 0) return open.at(-1);
    from = mark.index + mark[0].length;
    const [, name = ""] = mark;
    if (name === "") open.pop();
    else open.push(name);
  }
  return undefined;
}
