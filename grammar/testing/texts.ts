/** Texts for tests: the case files' sources, and small helpers to read them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "../parse.js";
import type { AttributeNode, ExpressionNode, File } from "../tree.js";

export const CASES = "grammar/cases";
export const DASHES = "\n--------\n";

/** Milliseconds that a test of thousands of texts may take on a busy machine. */
export const PATIENCE = 120_000;

interface Text {
  readonly name: string;
  readonly text: string;
}

const all: readonly Text[] = readdirSync(CASES)
  .filter((name) => name.endsWith(".reeve"))
  .map((name) => ({
    name,
    text: readFileSync(join(CASES, name), "utf8").split(DASHES)[0] ?? "",
  }));

const isValid = ({ text }: Text) => parse({ path: "x", text }).diagnostics.length === 0;

export const validTexts: readonly Text[] = all.filter(isValid);
export const faultyTexts: readonly Text[] = all.filter((text) => !isValid(text));

/** The tree of a text, and the codes of what is wrong with it. */
export function read(text: string): { readonly tree: File; readonly codes: readonly string[] } {
  const { tree, diagnostics } = parse({ path: "main.reeve", text });
  return { tree, codes: diagnostics.map(({ code }) => code) };
}

/** The value of the first attribute. */
export function firstValue(text: string): ExpressionNode {
  const attribute = read(text).tree.items.find(
    (item): item is AttributeNode => item.kind === "attribute",
  );
  if (attribute === undefined) throw new Error("the text has no attribute");
  return attribute.value;
}

/** Random numbers that are the same in every run: a linear congruential generator (Numerical Recipes). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
