/**
 * The one way a text of the language is written. Only blanks, line ends, `;` and commas are touched: 2 spaces a level, at
 * most one empty line, no columns; comments stay where they are, block strings keep every character. Line ends become LF
 * and a byte order mark goes. There are no options.
 */
import { type Diagnostic, type Source } from "./diagnostic.js";
import { Cursor } from "./formatting/cursor.js";
import { print } from "./formatting/doc.js";
import { layOutFile } from "./formatting/items.js";
import { parse } from "./parse.js";
import { tokenize } from "./tokens.js";

export type Formatted =
  | { readonly text: string; readonly diagnostics?: never }
  | { readonly diagnostics: readonly Diagnostic[]; readonly text?: never };

/**
 * The text as it should be written, or what is wrong with it: a text with errors is left alone. So is one whose meaning
 * would not come out the same, which is checked every time.
 */
export function format(text: string, path = "<stdin>"): Formatted {
  const { diagnostics } = parse({ path, text });
  if (diagnostics.length > 0) return { diagnostics };
  const source = { path, text: text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n") };
  const cursor = new Cursor(source.text, tokenize(source));
  const formatted = print(layOutFile(cursor, source.text, parse(source).tree));
  if (sameMeaning(source, { path, text: formatted })) return { text: formatted };
  return { diagnostics: [refusal(path)] };
}

function refusal(file: string): Diagnostic {
  return {
    code: "E050",
    severity: "error",
    message: "formatting would change what this file means, so it is left as it is",
    location: { file, start: 0, end: 0 },
    help: "this is a fault of the formatter; please report it together with the file",
  };
}

/** Whether both texts have the same tokens and comments in the same order, separators apart, and the same tree. */
export function sameMeaning(before: Source, after: Source): boolean {
  return sameWords(before, after) && sameTree(parse(before).tree, parse(after).tree);
}

function sameWords(before: Source, after: Source): boolean {
  const left = words(before);
  const right = words(after);
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

/** Tokens without what only separates. A comment's blanks at the line's end do not count. */
function words({ path, text }: Source): readonly string[] {
  return tokenize({ path, text }).flatMap(({ kind, start, end }) => {
    const word = text.slice(start, end).trimEnd();
    const separates =
      kind === "newline" || (kind === "punctuation" && (word === "," || word === ";"));
    return separates ? [] : [word];
  });
}

/** Where something stands does not count. */
const POSITIONS = new Set(["start", "end", "operatorStart", "sourceStart"]);

/** Trees are limited in height, so walking down is safe. */
function sameTree(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      POSITIONS.has(key) ||
      (key in right && sameTree(Reflect.get(left, key), Reflect.get(right, key))),
  );
}
