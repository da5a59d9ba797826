import test from "ava";
import fc from "fast-check";
import type { FileChange } from "../blocks/watch.js";
import { changesBetween, joined, type KnownFiles, shownChanges } from "./changes.js";
import { LoopGuard } from "./loop-guard.js";

const known = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d"), fc.nat({ max: 2 }))
  .map((files): KnownFiles => {
    const entries = Object.entries(files);
    return new Map(entries.map(([path, hash]) => [path, { hash: `${hash}`, size: hash }]));
  });

test("changes of steps, joined, are the files that differ between the first and the last step or were touched", (t) => {
  fc.assert(
    fc.property(fc.array(known, { minLength: 2, maxLength: 6 }), (steps) => {
      let pending: ReadonlyMap<string, FileChange> = new Map();
      for (const [index, now] of steps.entries()) {
        if (index > 0)
          pending = joined(pending, changesBetween(steps[index - 1] as KnownFiles, now));
      }
      const [first] = steps as [KnownFiles];
      const last = steps.at(-1) as KnownFiles;
      for (const { path, kind } of changesBetween(first, last)) {
        t.is(pending.get(path)?.kind, kind);
      }
      for (const { path, kind } of pending.values()) {
        const is = { created: [false, true], changed: [true, true], removed: [true, false] }[kind];
        t.deepEqual([first.has(path), last.has(path)], is, `${path} ${kind}`);
      }
    }),
  );
});

test("a run gets 1,000 changes in the order of the paths, and the number of the others", (t) => {
  const all = Array.from({ length: 1234 }, (_, index): FileChange => {
    return { path: `${9999 - index}`, kind: "created", size: 1 };
  });
  const { changes, more_changes } = shownChanges(joined(new Map(), all));
  t.is(changes.length, 1000);
  t.is(more_changes, 234);
  t.deepEqual(
    changes.map(({ path }) => path),
    changes.map(({ path }) => path).toSorted(),
  );
});

/** Runs of a second each, for these paths, each change seen so long after the end of the run before. */
function after(runs: ReadonlyArray<readonly [paths: readonly string[], late: number]>): LoopGuard {
  const guard = new LoopGuard();
  let now = 0;
  for (const [paths, late] of runs) {
    guard.began(paths, now + late, now + late);
    now += late + 1000;
    guard.ended(now);
  }
  return guard;
}

const rows: ReadonlyArray<
  readonly [what: string, runs: ReadonlyArray<readonly [readonly string[], number]>, held: boolean]
> = [
  ["four runs in a row", Array(4).fill([["a"], 100]), false],
  ["five runs in a row", Array(5).fill([["a"], 100]), true],
  ["five runs with a pause", [...Array(4).fill([["a"], 100]), [["a"], 2000]], false],
  ["five runs for other files", ["a", "b", "c", "d", "a"].map((path) => [[path], 100]), false],
  [
    "five runs with one file in common",
    ["b", "c", "d", "e", "f"].map((p) => [["a", p], 100]),
    true,
  ],
];
for (const [what, runs, held] of rows) {
  test(`loops: after ${what} the next is ${held ? "held back" : "started"}`, (t) => {
    const guard = after(runs);
    const end = runs.reduce((sum, [, late]) => sum + late + 1000, 0);
    const { pause, isNew } = guard.judge(["a"], end + 100, end + 100);
    t.is(pause > 0, held);
    t.is(isNew, held);
    t.is(guard.isLoop, held);
    t.deepEqual(
      guard.judge(["a"], end + 5000, end + 5000).pause,
      0,
      "a later edit is not held back",
    );
    guard.began(["a"], end + 5000, end + 5000);
    t.false(guard.isLoop);
  });
}
