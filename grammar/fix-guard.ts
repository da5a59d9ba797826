/**
 * The one condition of every fix: its result has fewer mistakes, and every token outside of its edits is still there.
 * A fix that does not meet it is not offered.
 */
import type { Diagnostic, Fix, Source } from "./diagnostic.js";
import { applyFixes } from "./fixes.js";
import type { Mistake, Repair, SpanEdit } from "./mistakes/mistake.js";
import { HOPELESS, type InParts, readFile, readInParts } from "./reading/read-file.js";
import { isSyntaxCode } from "./rendering/sanitize.js";
import { type Token, tokenize } from "./tokens.js";

/** How much text may be read again for the fixes of one file, in UTF-16 code units; further fixes are not offered. */
const BUDGET = 512 * 1024;
/** Names, signs and single lexemes: what is meant does not depend on what stands around them. */
const SPELLING = /^E0(?:1[012]|2[2-8]|36)$/;
/** Mistakes that one fix may cover on a line. */
const MOST_STEPS = 50;

/** The mistakes of a text; those whose fix would do harm are without it. */
export function* safeFixes(
  text: string,
  mistakes: readonly Mistake[],
): InParts<readonly Mistake[]> {
  if (mistakes.length > HOPELESS) return mistakes.map(({ fix: _fix, ...rest }) => rest);
  const guard = new FixGuard(text, mistakes.length);
  const safe: Mistake[] = [];
  for (const found of mistakes) {
    const { fix: offered, ...rest } = found;
    const fix =
      offered && mayOffer(found, mistakes) ? yield* guard.safe(found, offered) : undefined;
    safe.push(fix === undefined ? rest : { ...rest, fix });
  }
  return safe;
}

/** With other mistakes around, a bracket that closes nothing may be right, and its partner missing. */
const mayOffer = ({ code }: Mistake, { length }: readonly Mistake[]): boolean =>
  code !== "E003" || length === 1;

/** The diagnostics of checked texts; a fix that would make its text invalid or lose a token is left out. */
export function withHarmlessFixes(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, Source>,
): readonly Diagnostic[] {
  const guards = new Map<string, FixGuard>();
  return diagnostics.map((diagnostic) => {
    const { fix, ...rest } = diagnostic;
    const file = fix?.edits[0]?.file;
    const text = file === undefined ? undefined : sources.get(file)?.text;
    if (fix === undefined || file === undefined || text === undefined) return diagnostic;
    if (isSyntaxCode(rest.code) || !file.endsWith(".reeve")) return diagnostic;
    const guard = guards.get(file) ?? new FixGuard(text, readFile(text).mistakes.length);
    guards.set(file, guard);
    return guard.isHarmless(fix) ? diagnostic : rest;
  });
}

/** The text with those fixes that do no harm together, in their order. */
export function applySafely(
  text: string,
  fixes: readonly Fix[],
): { readonly text: string; readonly taken: readonly Fix[] } {
  let best = { text, taken: [] as readonly Fix[] };
  let count = readFile(text).mistakes.length;
  const before = tokenize({ path: "", text });
  for (const fix of fixes) {
    const taken = [...best.taken, fix];
    const edits = taken.flatMap((each) => each.edits);
    const fixed = applyFixes(
      text,
      taken.map((each) => each.edits),
    );
    if (fixed === best.text) continue;
    const { length } = readFile(fixed).mistakes;
    if (length > count || !keepsTokens(before, tokenize({ path: "", text: fixed }), edits))
      continue;
    best = { text: fixed, taken };
    count = length;
  }
  return best;
}

class FixGuard {
  readonly #text: string;
  readonly #count: number;
  #tokens: readonly Token[] | undefined;
  #budget = BUDGET;

  constructor(text: string, count: number) {
    this.#text = text;
    this.#count = count;
  }

  /**
   * The fix, or `undefined` where it would do harm. Only the first mistake of a line is reported, so a fix goes on with
   * further mistakes of its kind, and with misspellings, up to the line's end.
   */
  *safe(found: Mistake, offered: Repair): InParts<Repair | undefined> {
    let fix = offered;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const text = applyFixes(this.#text, [fix.edits]);
      this.#budget -= text.length;
      if (this.#budget < 0) return undefined;
      const after = (yield* readInParts(text)).mistakes;
      if (after.length < this.#count) return this.#keepsTokens(text, fix) ? fix : undefined;
      const next = after.length === this.#count ? nextOnLine(text, after, found, fix) : undefined;
      if (next === undefined) return undefined;
      fix = next;
    }
    return undefined;
  }

  /** Whether a fix of a valid text leaves it valid. */
  isHarmless(fix: Repair): boolean {
    const text = applyFixes(this.#text, [fix.edits]);
    this.#budget -= text.length;
    return (
      this.#budget >= 0 &&
      readFile(text).mistakes.length <= this.#count &&
      this.#keepsTokens(text, fix)
    );
  }

  #keepsTokens(text: string, { edits }: Repair): boolean {
    this.#tokens ??= tokenize({ path: "", text: this.#text });
    return keepsTokens(this.#tokens, tokenize({ path: "", text }), edits);
  }
}

/** The fix with the edits of the next mistake behind it on its line. */
function nextOnLine(
  text: string,
  mistakes: readonly Mistake[],
  { code }: Mistake,
  { title, edits }: Repair,
): Repair | undefined {
  const last = edits.reduce((a, b) => (b.end > a.end ? b : a));
  const shift = edits.reduce((sum, edit) => sum + growth(edit), 0);
  const from = last.end + shift;
  const next = mistakes.find((each) => each.start >= from);
  const between = text.slice(from, next?.start);
  if (next === undefined || /[\r\n]/.test(between)) return undefined;
  if (next.code !== code && !SPELLING.test(next.code)) return undefined;
  if (next.fix === undefined || next.fix.edits.some(({ start }) => start < from)) return undefined;
  const moved = next.fix.edits.map((edit) => ({
    start: edit.start - shift,
    end: edit.end - shift,
    text: edit.text,
  }));
  const titles = new Set([...title.split(", "), next.fix.title]);
  return { title: [...titles].join(", "), edits: [...edits, ...moved] };
}

const growth = ({ start, end, text }: SpanEdit): number => text.length - (end - start);

/** Whether every token that the edits do not touch is still there. No fix changes a comment: what is in it may not be meant as code. */
function keepsTokens(
  before: readonly Token[],
  after: readonly Token[],
  edits: readonly SpanEdit[],
): boolean {
  const kept = new Map(after.map((token) => [token.start, token]));
  const sorted = edits.toSorted((a, b) => a.start - b.start);
  let shift = 0;
  let passed = 0;
  return before.every(({ kind, start, end }) => {
    for (let edit = sorted[passed]; edit && edit.end <= start; edit = sorted[++passed]) {
      shift += growth(edit);
    }
    const next = sorted[passed];
    if (next && next.start < end) return kind !== "comment" && kind !== "doc";
    const same = kept.get(start + shift);
    return same?.kind === kind && same.end === end + shift;
  });
}
