/** How many columns of a terminal a text takes. */
import { createRequire } from "node:module";

type Width = (text: string) => number;

let exact: Width | undefined;

/**
 * Most texts are plain. The tables that the others need take a tenth of a daemon's start to make ready, so they are
 * loaded with the first text that needs them.
 */
export function terminalWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  exact ??= createRequire(import.meta.url)("string-width").default as Width;
  return exact(text);
}
