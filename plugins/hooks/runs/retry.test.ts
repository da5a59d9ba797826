import test from "ava";
import type { HookBlock } from "../blocks/blocks.js";
import type { Finished } from "./finished.js";
import { pauseAfter, survivesInterruption } from "./retry.js";

type Retry = NonNullable<HookBlock["values"]["retry"]>["values"];

const hook = (retry?: Partial<Retry>): HookBlock => {
  const usual = {
    attempts: 3,
    backoff: "exponential",
    min: 1000,
    max: 60_000,
    on: ["failure", "timeout"],
  };
  return { values: { retry: retry && { values: { ...usual, ...retry } } } } as unknown as HookBlock;
};
const end = (state: Finished["state"], exitCode?: number): Finished => ({
  ...{ state, output: new Uint8Array(), omitted: 0, duration: 1, started: true },
  ...(exitCode === undefined ? {} : { exitCode }),
});
const duration = (milliseconds: number) => milliseconds as Retry["min"];

const rows: ReadonlyArray<
  readonly [
    title: string,
    finished: Finished,
    tried: number,
    retry: Partial<Retry> | undefined,
    pause: number | undefined,
  ]
> = [
  ["a hook that does not ask for it", end("failed", 1), 1, undefined, undefined],
  ["a success", end("succeeded", 0), 1, {}, undefined],
  ["a failure", end("failed", 1), 1, {}, 1000],
  ["the second failure: twice as long", end("failed", 1), 2, {}, 2000],
  ["the third failure: four times as long", end("failed", 1), 3, { attempts: 4 }, 4000],
  ["the last failure", end("failed", 1), 3, {}, undefined],
  ["a program that could not start", end("failed"), 1, {}, 1000],
  ["a time-out", end("timed_out"), 1, {}, 1000],
  ["a time-out where only failures count", end("timed_out"), 1, { on: ["failure"] }, undefined],
  ["an exit code that is named", end("failed", 75), 1, { on: [75] }, 1000],
  ["an exit code that is not named", end("failed", 1), 1, { on: [75] }, undefined],
  ["a run that was cancelled", end("cancelled"), 1, {}, undefined],
  ["a start that failed where an exit code is named", end("failed"), 1, { on: [75] }, undefined],
  ["a cancelled run that is named nowhere", end("cancelled", 75), 1, { on: [75] }, undefined],
  ["a longest pause below the shortest", end("failed", 1), 2, { max: duration(500) }, 1000],
  ["always the same pause", end("failed", 1), 5, { attempts: 9, backoff: "fixed" }, 1000],
  ["no longer than the longest", end("failed", 1), 9, { attempts: 10, max: duration(5000) }, 5000],
];

for (const [title, finished, tried, retry, pause] of rows) {
  test(`the pause after ${title}`, (t) => {
    t.is(pauseAfter(finished, tried, hook(retry), 0), pause);
  });
}

test("up to a quarter is added by chance, never beyond the longest", (t) => {
  t.is(pauseAfter(end("failed", 1), 1, hook({}), 1), 1250);
  t.is(pauseAfter(end("failed", 1), 1, hook({ max: duration(1100) }), 1), 1100);
});

test("an interrupted run is tried again only where that is wanted, and as often as any", (t) => {
  t.false(survivesInterruption(hook(), 1));
  t.false(survivesInterruption(hook({}), 1));
  t.true(survivesInterruption(hook({ on: ["interruption"] }), 2));
  t.false(survivesInterruption(hook({ on: ["interruption"] }), 3));
});
