/**
 * A unified diff that adds lines at the end of a file; empty without lines.
 * @param text of the file; undefined if it does not exist
 */
export function addedLines(
  path: string,
  text: string | undefined,
  lines: readonly string[],
): string {
  if (lines.length === 0) return "";
  const added = lines.map((line) => `+${line}\n`).join("");
  const head = text === undefined ? `--- /dev/null\n+++ ${path}\n` : `--- ${path}\n+++ ${path}\n`;
  if (text === undefined || text === "") return `${head}@@ -0,0 +1,${lines.length} @@\n${added}`;
  const isEnded = text.endsWith("\n");
  const before = text.split("\n").slice(0, isEnded ? -1 : undefined);
  const last = before.at(-1) ?? "";
  const context = isEnded ? ` ${last}\n` : `-${last}\n\\ No newline at end of file\n+${last}\n`;
  const range = `@@ -${before.length},1 +${before.length},${lines.length + 1} @@\n`;
  return `${head}${range}${context}${added}`;
}
