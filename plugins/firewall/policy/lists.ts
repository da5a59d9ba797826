/** The texts that lists are written in: comma-separated options and files with comments. */

/** Entries of an option value: split at commas, trimmed, empty ones dropped. Newlines stay inside an entry and are refused later. */
export function splitList(value: string): string[] {
  return value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Entries of a file: one or several a line, `#` starts a comment anywhere in a line, CRLF is fine. */
export function splitFile(text: string): string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line) => splitList(line.replace(/#.*$/, "")));
}
