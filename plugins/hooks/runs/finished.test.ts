/** How a process's end becomes a run's end. */
import test from "ava";
import type { ProcessResult } from "reeve/plugin";
import { failed, finishedFrom, interrupted, lost } from "./finished.js";

const result = (more: Partial<ProcessResult>): ProcessResult =>
  ({
    outcome: "exited",
    stdout: Buffer.from("out"),
    omitted: 3,
    duration: 20,
    ...more,
  }) as ProcessResult;

const ends: ReadonlyArray<
  readonly [title: string, given: Partial<ProcessResult>, state: string, reason?: string]
> = [
  ["status 0", { exitCode: 0 }, "succeeded"],
  ["another status", { exitCode: 3 }, "failed", "The command ended with status 3."],
  [
    "a signal",
    { outcome: "killed", signal: "SIGKILL" },
    "failed",
    "The command was killed by SIGKILL.",
  ],
  ["too much time", { outcome: "timed_out" }, "timed_out", "The command took longer than 50 ms."],
  ["a stop", { outcome: "cancelled" }, "cancelled", "The daemon stopped."],
  ["no start", { outcome: "not_started", error: "There is no x." }, "failed", "There is no x."],
  [
    "no start and no reason",
    { outcome: "not_started" },
    "failed",
    "The command could not be started.",
  ],
];
for (const [title, given, state, reason] of ends)
  test(`a command that ends with ${title} has ${state}`, (t) => {
    const { exitCode, signal } = given;
    t.deepEqual(finishedFrom(result(given), 50), {
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      output: Buffer.from("out"),
      omitted: 3,
      duration: 20,
      started: given.outcome !== "not_started",
    } as ReturnType<typeof finishedFrom>);
  });

test("a run that never began has no output and says why", (t) => {
  const nothing = { output: new Uint8Array(), omitted: 0, duration: 0, started: false };
  t.deepEqual(failed("No."), { state: "failed", reason: "No.", ...nothing });
  t.deepEqual(lost("dropped"), {
    state: "cancelled",
    reason: "A newer request replaced it in the queue.",
    lost: "dropped",
    ...nothing,
  });
  const stopping = { state: "cancelled", reason: "The daemon stopped.", lost: "stopping" } as const;
  t.deepEqual(lost("stopping"), { ...stopping, ...nothing });
  t.deepEqual(interrupted, { ...stopping, ...nothing, left: true });
});
