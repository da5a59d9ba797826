/** Sequences in which several stops follow each other, as each would be one of the random ones. */
import test, { type ExecutionContext } from "ava";
import { accepted, type Evidence, notesOf } from "./evidence.js";
import { play } from "./play.js";
import { violationsIn, within } from "./sequences.js";
import type { HookName, Sequence, SequenceStep } from "./steps.js";

const send = (hook: HookName, count: number, first = 1): SequenceStep => ({
  ...{ do: "send", hook, together: false },
  requests: Array.from({ length: count }, (_, index) => ({
    ...{ number: first + index, key: "a", fails: 0, isHeld: true },
  })),
});

const stop = (how: "TERM" | "KILL"): SequenceStep => ({
  ...{ do: "stop", how, release: false, after: 0 },
});

const begins = (count: number): SequenceStep => ({ do: "begins", count });

async function played(
  t: ExecutionContext,
  steps: readonly SequenceStep[],
  more: Partial<Sequence> = {},
): Promise<Evidence> {
  t.timeout(120_000);
  const settings = { seed: 0, hasSchedule: false, holdsFollowers: false, usesSmallDisk: false };
  return within((ending) => play(ending, { ...settings, ...more, steps }));
}

test("six requests answered 202 that wait in one slot run after four stops", async (t) => {
  // Each stop ends the command that runs, so four requests are before the six.
  const evidence = await played(t, [
    send("queued", 10),
    ...[begins(1), stop("TERM"), begins(2), stop("TERM")],
    ...[begins(3), stop("KILL"), begins(4), stop("TERM")],
  ]);
  t.deepEqual(violationsIn(evidence), []);
  const runs = accepted(evidence).map(({ run }) => run);
  t.is(runs.length, 10);
  const states = runs.map((run) => evidence.records.get(run)?.state);
  t.deepEqual(
    states.slice(0, 4),
    evidence.stops.map(({ isDeath }) => (isDeath ? "interrupted" : "cancelled")),
  );
  t.deepEqual(
    states.slice(4),
    Array.from({ length: 6 }, () => "succeeded"),
  );
});

test("a run whose attempts are interrupted by death after death has no more attempts than its hook allows", async (t) => {
  const deaths = [1, 2, 3].flatMap((count) => [begins(count), stop("KILL")]);
  const evidence = await played(t, [send("retried", 1), ...deaths]);
  t.deepEqual(violationsIn(evidence), []);
  const [{ run } = { run: "" }] = accepted(evidence);
  t.is(evidence.records.get(run)?.state, "interrupted");
  t.is(notesOf(evidence, run, "begin").length, 3);
});

test("the attempts of a task that two deaths interrupted are numbered 1, 2 and 3", async (t) => {
  const deaths = [2, 3].flatMap((count) => [begins(count), stop("KILL")]);
  const steps = [send("followed", 1), begins(1), { do: "release" } as const, ...deaths, begins(4)];
  const evidence = await played(t, steps, { holdsFollowers: true });
  t.deepEqual(violationsIn(evidence), []);
  const attempts = evidence.notes.filter(({ what, value }) => what === "begin" && value > 0);
  t.deepEqual(
    attempts.map(({ value }) => value),
    [1, 2, 3],
  );
});

test("a delivery that is repeated after the clock was set back does not run again", async (t) => {
  const evidence = await played(t, [
    send("deduped", 1),
    { do: "clock", to: -7_200_000 },
    send("deduped", 1, 2),
  ]);
  t.deepEqual(violationsIn(evidence), []);
});

test("a schedule goes on when its clock, which was two hours late, is set right", async (t) => {
  const late = { do: "clock", to: -7_200_000 } as const;
  const right = { do: "clock", to: 0 } as const;
  const evidence = await played(t, [begins(1), late, stop("TERM"), right], { hasSchedule: true });
  t.deepEqual(violationsIn(evidence), []);
});
