/** From text to tree and mistakes, in parts. Nothing throws: invalid text is a bad node and a mistake. */

import { foreignFile } from "../mistakes/foreign-statements.js";
import { createMistake, type Mistake } from "../mistakes/mistake.js";
import { parse } from "../reeve.peggy.js";
import type { File, Item } from "../tree.js";
import { LIMITS } from "./limits.js";
import { SyntaxReader } from "./syntax-reader.js";

/** A text with more mistakes than this is not read a second time, and no fixes are offered. */
export const HOPELESS = 1000;

export interface ReadText {
  readonly tree: File;
  /** In the order of the text. */
  readonly mistakes: readonly Mistake[];
}

/** UTF-16 code units that are read at a time: about a millisecond. An item of a file is never divided. */
const PART = 4096;

/** Work in parts: its caller may do something else after each. */
export type InParts<Result> = Generator<undefined, Result, undefined>;

/** All parts at once. */
export function atOnce<Result>(work: InParts<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Reads one file of the language. */
export const readFile = (text: string): ReadText => atOnce(readInParts(text));

export function* readInParts(text: string): InParts<ReadText> {
  const oversized = tooLarge(text);
  if (oversized) {
    const tree: File = { kind: "file", start: 0, end: text.length, items: [] };
    return { tree, mistakes: [oversized] };
  }
  const first = yield* readOnce(text, false);
  const foreign = first.mistakes.length > 0 ? foreignFile(text) : undefined;
  if (foreign) {
    return { tree: { kind: "file", start: 0, end: text.length, items: [] }, mistakes: [foreign] };
  }
  if (first.unclosedBodies === 0 || first.mistakes.length > HOPELESS) return first;
  // Where a `}` is missing, everything behind it is in the wrong place. The indentation usually shows where it belongs.
  const second = yield* readOnce(text, true);
  return second.mistakes.length <= first.mistakes.length ? second : first;
}

function* readOnce(text: string, byIndentation: boolean) {
  const reader = new SyntaxReader(text, { lines: "separate", byIndentation });
  const items: Item[] = [];
  let from = text.startsWith("\uFEFF") ? 1 : 0;
  while (from < text.length) {
    const part = parse(text, { startRule: "part", reader, from, until: from + PART });
    items.push(...part.items);
    from = part.next;
    if (from < text.length) yield;
  }
  const tree: File = { kind: "file", start: 0, end: text.length, items };
  const mistakes = reader.complaints.toSorted((a, b) => a.start - b.start);
  return { tree, mistakes, unclosedBodies: reader.brackets.unclosedBodies };
}

/** A UTF-16 code unit takes at most three bytes of UTF-8, so most texts need not be measured. */
export function tooLarge(text: string): Mistake | undefined {
  const { bytes } = LIMITS;
  if (text.length * 3 <= bytes) return undefined;
  if (text.length <= bytes && Buffer.byteLength(text) <= bytes) return undefined;
  return createMistake("E040", 0, 0, `a file is at most ${bytes / 1024 / 1024} MiB long`, {
    help: 'split it up and bring the parts in with import "./parts/*.reeve"',
  });
}
