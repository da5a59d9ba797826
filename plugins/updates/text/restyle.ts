/** Keeps the style of a file: byte order mark, newlines, and the indent of JSON. */
import { withoutMark } from "./text.js";

/** Without a byte order mark, and with LF newlines. */
export const plainText = (text: string): string => withoutMark(text).text.replaceAll("\r\n", "\n");

export function restyle(before: string, after: string): string {
  const newlines = before.includes("\r\n") ? after.replace(/\r?\n/g, "\r\n") : after;
  return before.startsWith("\uFEFF") ? `\uFEFF${newlines}` : newlines;
}

export function restyleJson(before: string, value: unknown): string {
  const indent = /^[\uFEFF]?\{\r?\n([ \t]*)/.exec(before)?.[1] ?? "";
  const text = JSON.stringify(value, null, indent);
  return restyle(before, /\n$/.test(before) ? `${text}\n` : text);
}
