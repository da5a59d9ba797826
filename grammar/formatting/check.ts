/** The formatter's conscience: whether two texts say the same. */
import type { Source } from "../diagnostic.js";
import { parse } from "../parse.js";
import { tokenize } from "../tokens.js";

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
