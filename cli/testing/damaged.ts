/** Damaged texts, repaired with every fix that is offered for them. */
import type { Diagnostic, Source } from "../../grammar/diagnostic.js";
import { applyFixes, parse, tokenize } from "../../grammar/index.js";
import { mutations } from "../../grammar/testing/mutations.js";
import { validTexts } from "../../grammar/testing/texts.js";
import { repaired } from "../commands/repair.js";

export interface RepairCount {
  /** Texts with at least one fix. */
  readonly fixable: number;
  readonly fixed: number;
  /** Texts in which one fix, or all of them together, did harm. */
  readonly harmed: readonly string[];
}

/** Repairs as many damaged texts as `count`; the same in every run with a seed. */
export async function repairDamaged(count: number, seed: number): Promise<RepairCount> {
  let [fixable, fixed] = [0, 0];
  const harmed: string[] = [];
  const originals = validTexts.map(({ text }) => text);
  for (const text of mutations(originals, count, seed)) {
    const { diagnostics } = parse({ path: PATH, text });
    const offered = diagnostics.flatMap(({ fix }) => (fix ? [fix.edits] : []));
    if (offered.length === 0) continue;
    fixable += 1;
    const { texts, rest } = await repaired((overlay) => read(overlay, text));
    const result = [...texts.values()][0];
    if (result !== undefined && rest.diagnostics.length === 0) fixed += 1;
    const alone = offered.every((edits) => isBetter(text, applyFixes(text, [edits])));
    if (!alone || (result !== undefined && !isBetter(text, result))) harmed.push(text);
  }
  return { fixable, fixed, harmed };
}

const PATH = "main.reeve";

/** A configuration of one file, without evaluation. */
async function read(overlay: ReadonlyMap<string, string>, given: string): Promise<Read> {
  const source = { path: PATH, text: [...overlay.values()][0] ?? given };
  return { diagnostics: parse(source).diagnostics, sources: new Map([[PATH, source]]) };
}

interface Read {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, Source>;
}

/** Fewer diagnostics than before, and all comments still there. */
function isBetter(before: string, after: string): boolean {
  const comments = commentsOf(after);
  return (
    countOf(after) < countOf(before) &&
    commentsOf(before).every((comment) => comments.some((other) => other.includes(comment)))
  );
}

const countOf = (text: string): number => parse({ path: PATH, text }).diagnostics.length;

const commentsOf = (text: string): readonly string[] =>
  tokenize({ path: PATH, text })
    .filter(({ kind }) => kind === "comment" || kind === "doc")
    .map(({ start, end }) => text.slice(start, end));
