/** Offsets and the positions of the protocol: lines and UTF-16 code units, both from 0. */
import { lineAndColumn, type TextSpan } from "../read/finding.js";

export interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

function positionOf(text: string, offset: number): EditorPosition {
  const { line, column } = lineAndColumn(text, offset);
  return { line: line - 1, character: column - 1 };
}

export const rangeOf = (text: string, { start, end }: TextSpan) => ({
  start: positionOf(text, start),
  end: positionOf(text, end),
});

/** A place behind the end of a line is the end of that line. */
export function offsetOf(text: string, { line, character }: EditorPosition): number {
  const ends = /\r\n|\n|\r/g;
  for (let passed = 0; passed < line; passed += 1) if (!ends.exec(text)) return text.length;
  const begin = line > 0 ? ends.lastIndex : 0;
  const stop = /\r\n|\n|\r|$/g;
  stop.lastIndex = begin;
  return Math.min(begin + character, stop.exec(text)?.index ?? text.length);
}
