/** A change of a text file: shown as a unified diff, or written. */
import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { FirewallError, systemCode } from "../errors.js";

export interface ProposedText {
  readonly path: string;
  /** Undefined if the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Lines of context around the change. */
const context = 3;

/** One hunk; empty if nothing changes. */
export function unifiedDiff({ path, before, after }: ProposedText): string {
  if (before === after) return "";
  const [old, fresh] = [linesOf(before ?? ""), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old[same] === fresh[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, same - context);
  const after1 = Math.min(tail, context);
  const shown = [
    ...old.slice(from, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(same, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + after1).map((line) => ` ${line}`),
  ];
  const [removed, added] = [old, fresh].map((lines) => lines.length - tail + after1 - from);
  const range = (count = 0) => `${count === 0 ? 0 : from + 1},${count}`;
  const head = before === undefined ? "/dev/null" : path;
  return `--- ${head}\n+++ ${path}\n@@ -${range(removed)} +${range(added)} @@\n${shown.join("")}`;
}

/** With their line breaks; a last line without one says so. */
function linesOf(text: string): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.map((line) =>
    line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`,
  );
}

/**
 * Replaces the file as a whole, if it is as it was.
 * @param isMounted the same file gets the text: a mount of it in a sandbox would end with another file
 * @throws {FirewallError} `not_written`
 */
export function writeEdit({ path, before, after }: ProposedText, isMounted = false): void {
  const failed = (reason: string) =>
    new FirewallError("not_written", `Nothing was written to ${path}: ${reason}`);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    const at = found ? realpathSync(path) : path;
    if ((found ? readFileSync(at, "utf8") : undefined) !== before)
      throw failed("it has changed meanwhile. Run the command again");
    if (isMounted) {
      writeFileSync(at, after);
      return;
    }
    const made = `${at}.${process.pid}.new`;
    writeFileSync(made, after, { mode: found ? found.mode & 0o777 : 0o644, flag: "wx" });
    renameSync(made, at);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (thrown instanceof FirewallError || code === undefined) throw thrown;
    throw failed(code);
  }
}
