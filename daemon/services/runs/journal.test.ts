/** What an earlier daemon has left in its journal. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { RunRecord } from "../../plugin-api/state.js";
import { giftsOf, kitFor, temporaryDirectory } from "../testing/services.js";
import { type Change, decodeChange, encodeChange } from "./change.js";

const id = "01m80pdfya0003vbb0bs";
const output = { text: "hello\n", bytes: 6, omitted: 0 };
const row = { plugin: "sample", kind: "hook", subject: "hook.a", trigger: "by hand" };
const resume = { plugin: "sample", data: '{"argv":["a\\tb"]}' };

const begun: Change = {
  ...{ id, row: { ...row, generation: 3, queuedAt: 1000 } },
  moved: { state: "queued", at: undefined },
  detail: '{"a":"one\\ntwo"}',
  request: '{"body":"x\\ty"}',
  resume,
};
const running: Change = { id, moved: { state: "running", at: 2000 }, resume: "forgotten" };
const kept: Change = { id, moved: { state: "running", at: 2000 } };
const waits: Change = { id, moved: { state: "queued", at: undefined }, resume };
const told: Change = { id, detail: '"again"' };
const succeeded: Change = {
  ...{ id, end: { result: { state: "succeeded", exitCode: 0 }, at: 3000, output, size: 6 } },
  resume: "forgotten",
};
const interrupted: Change = {
  id,
  end: { result: { state: "interrupted", reason: "It died." }, at: 2500, output, size: 6 },
};
const reopened: Change = { id, reopened: { plugin: "sample", generation: 4 } };

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
    const { runs } = (await giftsOf(kit)).context;
    const outcome = { record: await runs.get(id), left: (await runs.left()).length };
    await kit.close();
    t.deepEqual(
      readdirSync(join(directory, "state")).filter((name) => name.endsWith(".journal")),
      [],
    );
    if (time === times) return outcome;
  }
}

const stories: ReadonlyArray<
  readonly [what: string, changes: readonly Change[], shown: Partial<RunRecord>, left: number]
> = [
  ["waits", [begun], { state: "queued", detail: { a: "one\ntwo" }, request: { body: "x\ty" } }, 1],
  ["runs", [begun, running], { state: "interrupted", startedAt: 2000 }, 0],
  ["runs, and may run again", [begun, kept], { state: "interrupted", startedAt: 2000 }, 1],
  ["waits for another try", [begun, running, told, waits], { state: "queued", detail: "again" }, 1],
  [
    "has ended",
    [begun, running, succeeded],
    { state: "succeeded", exitCode: 0, startedAt: 2000, finishedAt: 3000, output },
    0,
  ],
  ["was interrupted", [begun, kept, interrupted], { state: "interrupted", finishedAt: 2500 }, 1],
  [
    "was interrupted, taken up and has ended",
    [begun, kept, interrupted, reopened, running, succeeded],
    { state: "succeeded", generation: 4, reason: undefined, finishedAt: 3000 },
    0,
  ],
];
for (const [what, changes, shown, left] of stories) {
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
  const { record } = await found(t, encodeChange(begun) + encodeChange(kept) + cut, 1);
  t.is(record?.state, "interrupted");
  t.is((await found(t, `${encodeChange(begun)}\0\0\0\n`, 1)).record?.state, "queued");
});

test("a change is read as it was written", (t) => {
  for (const change of [begun, running, kept, waits, told, succeeded, interrupted, reopened]) {
    t.like(decodeChange(encodeChange(change).slice(0, -1)), JSON.parse(JSON.stringify(change)));
  }
});
