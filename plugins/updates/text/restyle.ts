/** Writes a JSON file the way it was written before: its indent, its newlines, its mark, its last newline. */

export function restyleJson(before: string, value: unknown): string {
  const indent = /^[\uFEFF]?\{\r?\n([ \t]*)/.exec(before)?.[1] ?? "";
  const text = `${JSON.stringify(value, null, indent)}${/\n$/.test(before) ? "\n" : ""}`;
  const newlines = before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
  return before.startsWith("\uFEFF") ? `\uFEFF${newlines}` : newlines;
}
