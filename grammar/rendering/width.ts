/** How many columns of a terminal a text takes. */
import { createRequire } from "node:module";
import { stripVTControlCharacters } from "node:util";

type Width = (text: string) => number;

let exact: Width | undefined;

/** One column a character: ASCII, Western letters, the ellipsis, lines, blocks, braille and some signs. */
const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\xff\u2013\u2014\u2018-\u201d\u2026\u2190-\u2193\u2500-\u259f\u25b2\u25bc\u25cb\u25cf\u2717\u2800-\u28ff]*$/;

/**
 * Most texts are plain, colours aside. The tables that the others need take a tenth of a start to make ready, so they are
 * loaded with the first text that needs them.
 */
export function terminalWidth(text: string): number {
  const bare = text.includes("\u001b") ? stripVTControlCharacters(text) : text;
  if (NARROW.test(bare)) return bare.length;
  exact ??= createRequire(import.meta.url)("string-width").default as Width;
  return exact(bare);
}
