/** What an earlier daemon has left in its journal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { RunRecord } from "../../../plugin-api/state.js";
import { readDamage } from "../../store/state-damage.js";
import { contextOf, kitFor, temporaryDirectory } from "../../testing/services.js";
import { decodeChange, encodeChange, type RunChange } from "../run-change.js";
import { type JournalFiles, journalFilesIn } from "./files.js";
import { Journal } from "./journal.js";
import { Mark, readMark } from "./mark.js";
import { readJournal, segmentName } from "./read-journal.js";
import { encodeRecord, encodeSegment } from "./record.js";

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

/** A segment with these changes, as the next one of the journal in `state`. */
function writeSegment(state: string, changes: readonly RunChange[], cut = 0): void {
  const files = journalFilesIn(state);
  const mark = readMark(files);
  const { epoch, sequence, number } = { ...readJournal(files, mark, undefined), ...mark };
  const first = (sequence ?? 0) + 1;
  let previous = 0;
  const records = changes.map((change, index) => {
    const header = { epoch: epoch ?? 1, sequence: first + index, synced: sequence ?? 0, previous };
    const kind = change.row ? "accepted" : change.end ? "ended" : "changed";
    const { bytes, crc } = encodeRecord({ ...header, kind, id: change.id }, encodeChange(change));
    previous = crc;
    return bytes;
  });
  const head = encodeSegment({ epoch: epoch ?? 1, number: number + 1, first, voidFrom: 0 });
  const bytes = Buffer.concat([head, ...records]);
  writeFileSync(join(state, segmentName(number + 1)), bytes.subarray(0, bytes.length - cut));
}

/** The record after a daemon has found these changes, `times` one after the other. */
async function found(
  t: ExecutionContext,
  changes: readonly RunChange[],
  times: number,
  cut = 0,
): Promise<{ readonly record: RunRecord | undefined; readonly left: number }> {
  const directory = temporaryDirectory(t);
  await (await kitFor(t, {}, directory)).close();
  for (let time = 1; ; time += 1) {
    writeSegment(join(directory, "state"), changes, cut);
    const kit = await kitFor(t, {}, directory);
    const { runs } = contextOf(kit).context;
    const outcome = { record: await runs.get(id), left: (await runs.left()).length };
    await kit.close();
    t.deepEqual(readDamage(join(directory, "state")), []);
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
    for (const times of [1, 2]) {
      const outcome = await found(t, changes, times);
      t.like(outcome.record, { id, trigger: "by hand", queuedAt: 1000, ...shown });
      t.is(outcome.left, left);
    }
  });
}

test("a record that was not written to its end is as if it had never been begun", async (t) => {
  for (const cut of [8, 200]) {
    const { record } = await found(t, [first, kept, succeeded], 1, cut);
    t.is(record?.state, "interrupted");
  }
});

test("a record of which a full disk took only the beginning is as if it had not been written", async (t) => {
  const directory = temporaryDirectory(t);
  const kit = await kitFor(t, {}, directory);
  const state = join(directory, "state");
  await kit.close();
  const real = journalFilesIn(state);
  let isFull = false;
  const files: JournalFiles = {
    ...real,
    open(name) {
      const file = real.open(name);
      return {
        ...file,
        write(bytes, at) {
          if (!isFull || bytes.length <= 80) return file.write(bytes, at);
          file.write(bytes.subarray(0, 80), at);
          throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        },
      };
    },
  };
  const options = { refused: () => undefined, length: 64 * 1024 };
  const before = readMark(files);
  const foundBefore = readJournal(files, before, undefined);
  const mark = new Mark(files, { epoch: before?.epoch ?? 1, sequence: 0, commits: 0 });
  const journal = new Journal({ ...options, files, found: foundBefore, mark });
  journal.append(first);
  isFull = true;
  t.throws(() => journal.append(running), { message: "ENOSPC" });
  const { records } = readJournal(files, before, undefined);
  t.deepEqual(
    records.map(({ header: { kind } }) => kind),
    ["accepted"],
  );
  isFull = false;
  journal.append(running);
  await journal.synced();
  t.deepEqual(
    readJournal(files, before, undefined).records.map(
      ({ payload }) => decodeChange(payload ?? "")?.moved?.state,
    ),
    ["queued", "running"],
  );
  await journal.close();
  mark.close();
});

test("a change is read as it was written", (t) => {
  for (const change of [first, running, kept, waits, second, succeeded, interrupted, reopened]) {
    t.like(decodeChange(encodeChange(change)), JSON.parse(JSON.stringify(change)));
  }
});
