/** Places inside a JSON string: the text of a `$expr` is written with JSON's escapes, its nodes know the decoded text. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";

/** Offsets of the decoded characters of a JSON string literal that begins at `start` in `text`; one more for its end. */
export function decodedOffsets(
  text: string,
  start: number,
  end: number,
): (offset: number) => number {
  if (!text.slice(start, end).includes("\\")) return (offset) => start + 1 + offset;
  const offsets: number[] = [];
  let at = start + 1;
  while (at < end - 1) {
    offsets.push(at);
    at += text[at] !== "\\" ? 1 : text[at + 1] === "u" ? 6 : 2;
  }
  offsets.push(end - 1);
  return (offset) => offsets[Math.min(offset, offsets.length - 1)] ?? end - 1;
}

const POSITIONS = new Set(["start", "end", "operatorStart", "sourceStart"]);

/** The same plain tree with every position moved. */
export function movedLocation<Tree>(tree: Tree, move: (offset: number) => number): Tree {
  if (Array.isArray(tree)) return tree.map((item) => movedLocation(item, move)) as Tree;
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [
      name,
      POSITIONS.has(name) && typeof value === "number" ? move(value) : movedLocation(value, move),
    ]),
  ) as Tree;
}

/** A diagnostic about the decoded text, on the text as it is written. Its fix would have to be escaped and is left out. */
export function movedDiagnostic(
  diagnostic: Diagnostic,
  move: (offset: number) => number,
): Diagnostic {
  const { fix: _fix, ...rest } = diagnostic;
  return movedLocation(rest, move);
}
