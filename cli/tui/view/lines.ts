/** Lines of the screen: text with colours in it, made to fit. */
import { stripVTControlCharacters } from "node:util";
import { terminalWidth } from "../../../grammar/rendering/width.js";
import { cut } from "../../print/text.js";

/** Exactly `width` cells. What is too long is cut, and with it its colours. */
export function fit(line: string, width: number): string {
  const own = widthOf(line);
  if (own === width) return line;
  if (own < width) return line + " ".repeat(width - own);
  const bare = cut(stripVTControlCharacters(line), width);
  return bare + " ".repeat(Math.max(0, width - widthOf(bare)));
}

export const widthOf = terminalWidth;

/** One text at each end of a line; the right one gives way. */
export function ends(left: string, right: string, width: number): string {
  const gap = width - widthOf(left) - widthOf(right);
  return gap < 1 ? left : left + " ".repeat(gap) + right;
}

/** Whole words a line where that is possible. The text has no colours and may have line breaks. */
export function wrapped(text: string, width: number): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => wrappedLine(line.replaceAll("\t", "  "), Math.max(1, width)));
}

function wrappedLine(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<= )/)) {
    if (widthOf(current) + widthOf(word.trimEnd()) <= width) {
      current += word;
      continue;
    }
    if (current.trim() !== "") lines.push(current.trimEnd());
    current = word;
    while (widthOf(current) > width) {
      let head = cut(current, width + 1).slice(0, -1);
      if (head === "") head = current.slice(0, 1);
      lines.push(head);
      current = current.slice(head.length);
    }
  }
  return current.trim() === "" ? lines : [...lines, current.trimEnd()];
}

/** Names and values below each other. */
export function pairs(
  entries: ReadonlyArray<readonly [name: string, value: string | undefined]>,
  dim: (text: string) => string,
  indent = "  ",
): readonly string[] {
  const given = entries.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(0, ...given.map(([name]) => widthOf(name)));
  return given.map(
    ([name, value]) => `${indent}${dim(name + " ".repeat(width - widthOf(name)))}  ${value}`,
  );
}
