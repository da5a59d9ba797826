/** Plays sequences, several at a time, and counts what they found. */
import type { ExecutionContext } from "ava";
import type { Ending } from "../support/child.js";
import { checkBegins } from "./check-begins.js";
import { checkEnds } from "./check-ends.js";
import { checkRelations } from "./check-relations.js";
import { accepted, type Evidence, type Violation } from "./evidence.js";
import { play } from "./play.js";
import { type Sequence, sequenceOf, shownSteps } from "./steps.js";

/** Sequences at the same time; a good part of each is a wait. */
const AT_ONCE = 4;

/** Sequences of one test. */
const PART = 10;

/** The first seed, and how many sequences follow it. */
export interface SeedRange {
  readonly seed: number;
  readonly count: number;
}

export function rangeOf(defaults: SeedRange): SeedRange {
  const { REEVE_SEED: seed, REEVE_SEQUENCES: count } = process.env;
  return { seed: Number(seed ?? defaults.seed), count: Number(count ?? defaults.count) };
}

/** A runner ends a file that reports no test for a while, so a range has parts. */
export function partsOf({ seed, count }: SeedRange): readonly SeedRange[] {
  const parts: SeedRange[] = [];
  for (let done = 0; done < count; done += PART)
    parts.push({ seed: seed + done, count: Math.min(PART, count - done) });
  return parts;
}

export const violationsIn = (evidence: Evidence): readonly Violation[] => [
  ...evidence.faults,
  ...checkEnds(evidence),
  ...checkBegins(evidence),
  ...checkRelations(evidence),
];

/** Everything that a sequence starts has ended with it. */
export async function within<Result>(work: (t: Ending) => Promise<Result>): Promise<Result> {
  const ends: Array<() => unknown> = [];
  try {
    return await work({ teardown: (end) => ends.unshift(end) });
  } finally {
    for (const end of ends) await end();
  }
}

/** Plays the sequences of a range; each that violates the model is printed with its steps. */
export async function playAll(t: ExecutionContext, { seed, count }: SeedRange): Promise<void> {
  const total = { sequences: 0, accepted: 0, runs: 0, begins: 0, stops: 0, late: 0, violations: 0 };
  const kinds = new Map<string, number[]>();
  const left = Array.from({ length: count }, (_, index) => sequenceOf(seed + index));
  const playOne = async (sequence: Sequence): Promise<void> => {
    const evidence = await within((ending) => play(ending, sequence)).catch((thrown: unknown) => ({
      fault: thrown instanceof Error ? thrown.message : String(thrown),
    }));
    const isPlayed = !("fault" in evidence);
    const found = isPlayed
      ? violationsIn(evidence)
      : [{ kind: "not played", text: evidence.fault }];
    total.sequences += 1;
    if (isPlayed) {
      total.accepted += accepted(evidence).length;
      total.runs += evidence.records.size;
      total.begins += evidence.notes.filter(({ what }) => what === "begin").length;
      total.stops += evidence.stops.length;
      total.late += evidence.stops.filter(({ how, isDeath }) => how === "TERM" && isDeath).length;
    }
    total.violations += found.length;
    for (const { kind } of found) kinds.set(kind, [...(kinds.get(kind) ?? []), sequence.seed]);
    if (found.length === 0) return;
    const lines = found.slice(0, 8).map(({ kind, text }) => `  ${kind}: ${text}`);
    t.log([shownSteps(sequence), ...lines].join("\n"));
  };
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next; next = left.shift()) await playOne(next);
  });
  await Promise.all(workers);
  t.log(
    Object.entries(total)
      .map(([name, value]) => `${value} ${name}`)
      .join(", "),
    `seeds from ${seed}`,
  );
  // A busy machine explains a late stop, not many.
  if (total.late > 1 + total.stops / 10) kinds.set("stops that do not wait for plugins", [seed]);
  t.deepEqual(
    [...kinds].map(
      ([kind, seeds]) =>
        `${kind}: ${seeds.length} times, seeds ${[...new Set(seeds)].slice(0, 10).join(" ")}`,
    ),
    [],
  );
}
