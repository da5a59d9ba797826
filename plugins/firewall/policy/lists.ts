/** Splits lists: comma-separated flags and files with comments. */

/** Splits a flag's value at commas, trims, and drops empty entries. Newlines stay in an entry and are refused later. */
export function splitList(value: string): string[] {
  return value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Splits a file: commas and newlines separate entries, `#` starts a comment. */
export function splitFile(text: string): string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line) => splitList(line.replace(/#.*$/, "")));
}
