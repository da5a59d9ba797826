/** Nesting, bounded before anything recursive sees the text. */
import type { JsonDialect } from "./dialect.js";

export const DEPTH = 200;

/** Where the text is nested too deep: the offset of the bracket. A bracket in a string or comment does not count. */
export function tooDeep(text: string, dialect: JsonDialect): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      depth += 1;
      if (depth > DEPTH) return at;
    } else if (sign === "}" || sign === "]") depth -= 1;
    else if (sign === '"' || (sign === "'" && dialect === "json5")) at = endOfString(text, at);
    else if (sign === "/") at = endOfComment(text, at);
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[start] || text[at] === "\n") return at;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind !== "/" && kind !== "*") return start;
  const end = kind === "/" ? text.indexOf("\n", start) : text.indexOf("*/", start + 2);
  if (end < 0) return text.length;
  return kind === "/" ? end : end + 1;
}
