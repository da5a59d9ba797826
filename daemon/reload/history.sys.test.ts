/** What is remembered of generations, and how much. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { ChangeAction } from "../config/program.js";
import { openServices } from "../services/services.js";
import type { Generation } from "./contract.js";
import { GenerationHistory, kept } from "./generation-history.js";
import { SnapshotArchive } from "./snapshot-archive.js";
import { directoryWith, recordingLog } from "./testing/directory.js";

async function recordsOf(t: ExecutionContext, state = directoryWith(t)) {
  const kit = await openServices({
    directories: { state, cache: directoryWith(t), temporary: directoryWith(t) },
    logLevel: "error",
    logFormat: "json",
  });
  t.teardown(() => kit.close());
  return kit.records("generations");
}

const generation = (number: number, more: Partial<Generation> = {}): Generation => ({
  number,
  state: "rejected",
  trigger: "edit",
  sourceHash: "x",
  at: number,
  duration: 1,
  diagnostics: [],
  ...more,
});

test("the newest generations are remembered, newest first", async (t) => {
  const ledger = await GenerationHistory.open(await recordsOf(t), recordingLog(), 0);
  for (let count = 0; count < kept.generations + 5; count += 1) {
    await ledger.write(generation(ledger.next()));
  }
  const numbers = (await ledger.list()).map(({ number }) => number);
  t.is(numbers.length, kept.generations);
  t.is(numbers[0], kept.generations + 5);
  t.is(numbers.at(-1), 6);
  t.is(await ledger.get(5), undefined);
  t.is((await ledger.get(6))?.number, 6);
});

test("of a large generation as much is remembered as people can use", async (t) => {
  const ledger = await GenerationHistory.open(await recordsOf(t), recordingLog(), 0);
  const change = (action: ChangeAction) => ({
    key: "hook.a",
    plugin: "hooks",
    action,
    reasons: [],
  });
  const changes = [
    ...Array.from({ length: 10_000 }, () => change("unchanged")),
    ...Array.from({ length: 10_000 }, () => change("added")),
  ];
  const summary = { unchanged: 10_000, added: 10_000, updated: 0, replaced: 0, removed: 0 };
  const diagnostics = Array.from({ length: 1_000 }, (_, index) => ({
    code: "W1",
    severity: "warning" as const,
    message: String(index),
  }));
  await ledger.write(generation(1, { plan: { changes, needsRestart: [], summary }, diagnostics }));
  const [read] = await ledger.list();
  t.is(read?.plan?.changes.length, kept.changes);
  t.true(read?.plan?.changes.every(({ action }) => action === "added"));
  t.deepEqual(read?.plan?.summary, summary);
  t.is(read?.diagnostics.length, kept.diagnostics);
});

test("records that cannot be written are said in the log and stop nothing", async (t) => {
  const log = recordingLog();
  const broken = {
    get: async () => undefined,
    set: () => Promise.reject(new Error("the disk is full")),
    delete: async () => undefined,
    list: async () => [],
  };
  const ledger = await GenerationHistory.open(broken, log, 7);
  t.is(ledger.next(), 8);
  await ledger.write(generation(8));
  t.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields.reason]),
    [["error", "the disk is full"]],
  );
});

const archived = (number: number) => ({
  generation: number,
  snapshot: { root: "/x/main.reeve", files: { "/x/main.reeve": `# ${number}` }, globs: {} },
});

test("the texts of the newest fifty generations are kept, and the last good ones besides", async (t) => {
  const archive = await SnapshotArchive.open(directoryWith(t), recordingLog());
  await archive.markGood(archived(1));
  for (let number = 1; number <= 53; number += 1) await archive.keep(archived(number));
  t.is(await archive.get(3), undefined);
  t.deepEqual(await archive.get(4), archived(4).snapshot);
  t.is(await archive.newest(), 53);
  t.deepEqual(await archive.lastGood(), archived(1));
});

test("a snapshot half-written by a crash is ignored", async (t) => {
  const state = directoryWith(t, { "generations/2.json.new": '{"genera' });
  const archive = await SnapshotArchive.open(state, recordingLog());
  t.is(await archive.newest(), 0);
  await archive.keep(archived(2));
  t.deepEqual(readdirSync(join(state, "generations")), ["2.json"]);
  t.deepEqual(await archive.get(2), archived(2).snapshot);
});

test("texts that cannot be kept are said in the log and stop nothing", async (t) => {
  const state = directoryWith(t);
  const log = recordingLog();
  const archive = await SnapshotArchive.open(state, log);
  // A directory in the way refuses everybody, root included.
  mkdirSync(join(state, "generations/1.json/in the way"), { recursive: true });
  await archive.keep(archived(1));
  t.deepEqual(
    log.lines.map(({ level, message }) => [level, message]),
    [["error", "A configuration could not be kept for later"]],
  );
});

for (const [what, text] of Object.entries({
  "no JSON": "{",
  "other JSON": '{"generation":"one"}',
  "no snapshot": '{"generation":1,"snapshot":{"root":"/x"}}',
})) {
  test(`a kept file with ${what} is as good as none`, async (t) => {
    const state = directoryWith(t);
    const log = recordingLog();
    const archive = await SnapshotArchive.open(state, log);
    writeFileSync(join(state, "generations/1.json"), text);
    t.is(await archive.get(1), undefined);
    t.is(log.lines.length, 1);
  });
}
