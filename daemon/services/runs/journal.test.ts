/** What an earlier daemon has left in its journal. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { RunRecord } from "../../plugin-api/state.js";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";
import { decodeChange, encodeChange, type RunChange } from "./run-change.js";

const id = "01m80pdfya0003vbb0bs";
const output = { text: "hello\n", bytes: 6, omitted: 0 };
const row = { plugin: "sample", kind: "hook", subject: "hook.a", trigger: "by hand" };
const resume = { plugin: "sample", data: '{"argv":["a\\tb"]}' };

const first: RunChange = {
  ...{ id, row: { ...row, generation: 3, queuedAt: 1000 } },
  moved: { state: "queued", at: undefined },
  detail: '{"a":"one\\ntwo"}',
  request: '{"body":"x\\ty"}',
  resume,
};
const running: RunChange = { id, moved: { state: "running", at: 2000 }, resume: "forgotten" };
const kept: RunChange = { id, moved: { state: "running", at: 2000 } };
const waits: RunChange = { id, moved: { state: "queued", at: undefined }, resume };
const second: RunChange = { id, detail: '"again"' };
const succeeded: RunChange = {
  ...{ id, end: { result: { state: "succeeded", exitCode: 0 }, at: 3000, output, size: 6 } },
  resume: "forgotten",
};
const interrupted: RunChange = {
  id,
  end: { result: { state: "interrupted", reason: "It died." }, at: 2500, output, size: 6 },
};
const reopened: RunChange = { id, reopened: { plugin: "sample", generation: 4 } };

/** The record after a daemon has found these changes, `times` one after the other. */
async function found(
  t: ExecutionContext,
  lines: string,
  times: number,
): Promise<{ readonly record: RunRecord | undefined; readonly left: number }> {
  const directory = temporaryDirectory(t);
  await (await kitFor(t, {}, directory)).close();
  for (let time = 1; ; time += 1) {
    writeFileSync(join(directory, "state", `runs-${time}.journal`), lines);
    const kit = await kitFor(t, {}, directory);
    const { runs } = (await contextOf(kit)).context;
    const outcome = { record: await runs.get(id), left: (await runs.left()).length };
    await kit.close();
    t.deepEqual(
      readdirSync(join(directory, "state")).filter((name) => name.endsWith(".journal")),
      [],
    );
    if (time === times) return outcome;
  }
}

const cases: ReadonlyArray<
  readonly [what: string, changes: readonly RunChange[], shown: Partial<RunRecord>, left: number]
> = [
  ["waits", [first], { state: "queued", detail: { a: "one\ntwo" }, request: { body: "x\ty" } }, 1],
  ["runs", [first, running], { state: "interrupted", startedAt: 2000 }, 0],
  ["runs, and may run again", [first, kept], { state: "interrupted", startedAt: 2000 }, 1],
  [
    "waits for another try",
    [first, running, second, waits],
    { state: "queued", detail: "again" },
    1,
  ],
  [
    "has ended",
    [first, running, succeeded],
    { state: "succeeded", exitCode: 0, startedAt: 2000, finishedAt: 3000, output },
    0,
  ],
  ["was interrupted", [first, kept, interrupted], { state: "interrupted", finishedAt: 2500 }, 1],
  [
    "was interrupted, taken up and has ended",
    [first, kept, interrupted, reopened, running, succeeded],
    { state: "succeeded", generation: 4, reason: undefined, finishedAt: 3000 },
    0,
  ],
];
for (const [what, changes, shown, left] of cases) {
  test(`a run that ${what} is found as it was, once and twice`, async (t) => {
    const lines = changes.map(encodeChange).join("");
    for (const times of [1, 2]) {
      const outcome = await found(t, lines, times);
      t.like(outcome.record, { id, trigger: "by hand", queuedAt: 1000, ...shown });
      t.is(outcome.left, left);
    }
  });
}

test("a line that was not written to its end is as if it had never been begun", async (t) => {
  const cut = encodeChange(succeeded).slice(0, -5);
  const { record } = await found(t, encodeChange(first) + encodeChange(kept) + cut, 1);
  t.is(record?.state, "interrupted");
  t.is((await found(t, `${encodeChange(first)}\0\0\0\n`, 1)).record?.state, "queued");
});

test("a change is read as it was written", (t) => {
  for (const change of [first, running, kept, waits, second, succeeded, interrupted, reopened]) {
    t.like(decodeChange(encodeChange(change).slice(0, -1)), JSON.parse(JSON.stringify(change)));
  }
});
