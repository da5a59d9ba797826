/** The journal against every legal state of a disk after a cut, and against damage. The disk is in memory, so thousands of cuts take a moment. */
import test from "ava";
import type { RunChange } from "../run-change.js";
import type { JournalFiles } from "./files.js";
import { Journal } from "./journal.js";
import { Mark, markName, readMark } from "./mark.js";
import { type AppliedJournal, type FoundJournal, readJournal } from "./read-journal.js";
import { filesOf, type Random, RecordedFiles, seeded } from "./testing/recorded-files.js";

const epoch = 77;
const length = 8 * 1024;

const change = (number: number, random: Random): RunChange => ({
  id: String(number).padStart(20, "0"),
  row: { plugin: "a", kind: "a", subject: "a", trigger: "", generation: 1, queuedAt: number },
  detail: JSON.stringify("d".repeat(Math.floor(random() * 900))),
});

function journalIn(files: JournalFiles, refused: () => void = () => undefined): Journal {
  const found = readJournal(files, readMark(files), undefined);
  const mark = new Mark(files, { epoch, sequence: found.acknowledged, commits: 0 });
  mark.set({});
  return new Journal({ files, found, mark, refused, length });
}

const read = (files: JournalFiles, applied?: AppliedJournal): FoundJournal =>
  readJournal(files, readMark(files), applied);

const idsIn = ({ records }: FoundJournal): ReadonlySet<string> =>
  new Set(records.flatMap(({ header, payload }) => (payload === undefined ? [] : header.id)));

/** Appends from several callers at once; calls `look` in between. */
async function write(
  files: RecordedFiles,
  random: Random,
  look: (acknowledged: ReadonlySet<string>) => void,
): Promise<{ readonly journal: Journal; readonly acknowledged: ReadonlySet<string> }> {
  const journal = journalIn(files);
  const acknowledged = new Set<string>();
  let next = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (next < 60) {
        next += 1;
        const each = change(next, random);
        journal.append(each);
        if (random() < 0.7) {
          await journal.synced();
          acknowledged.add(each.id);
        } else await new Promise((go) => setImmediate(go));
        look(acknowledged);
      }
    }),
  );
  return { journal, acknowledged };
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`no cut loses what was acknowledged, and none is reported as damage (seed ${seed})`, async (t) => {
    const random = seeded(seed);
    const files = new RecordedFiles(random);
    let cuts = 0;
    const look = (acknowledged: ReadonlySet<string>): void => {
      for (let cut = 0; cut < 4; cut += 1) {
        const found = read(files.afterCut(random));
        const ids = idsIn(found);
        const lost = [...acknowledged].filter((id) => !ids.has(id));
        if (lost.length > 0 || found.missing.length > 0) {
          t.fail(`cut ${cuts}: lost ${lost.join()} reported ${JSON.stringify(found.missing)}`);
        }
        cuts += 1;
      }
    };
    const { journal } = await write(files, random, look);
    await journal.close();
    t.true(cuts > 200);
    t.deepEqual(files.misuses, []);
  });
}

test("the daemon after a cut goes on, and the one after it finds no damage", async (t) => {
  for (let seed = 10; seed < 40; seed += 1) {
    const random = seeded(seed);
    const before = new RecordedFiles(random);
    const { acknowledged } = await write(before, random, () => undefined);
    const left = before.afterCut(random);
    const files = new RecordedFiles(random);
    for (const name of left.list()) files.open(name).write(left.read(name), 0);
    const journal = journalIn(files);
    journal.append(change(1000, random));
    await journal.synced();
    await journal.close();
    const found = read(files);
    t.deepEqual(found.missing, [], `seed ${seed}`);
    const ids = idsIn(found);
    t.deepEqual(
      [...acknowledged, change(1000, random).id].filter((id) => !ids.has(id)),
      [],
    );
  }
});

test("a disk that refuses a sync fails the callers, and what is appended again is not lost", async (t) => {
  const random = seeded(7);
  const files = new RecordedFiles(random);
  const kept = change(1, random);
  const journal = journalIn(files, () => void journal.append(kept));
  journal.append(kept);
  files.refuses = new Error("EIO");
  await t.throwsAsync(journal.synced(), { message: "EIO" });
  files.refuses = undefined;
  await journal.synced();
  const next = change(2, random);
  journal.append(next);
  await journal.synced();
  for (let cut = 0; cut < 50; cut += 1) {
    const found = read(files.afterCut(random));
    t.deepEqual([...idsIn(found)], [kept.id, next.id]);
    t.deepEqual(found.missing, []);
  }
  await journal.close();
});

/** Each changes one file. */
const injuries: ReadonlyArray<
  readonly [what: string, injure: (bytes: Buffer, random: Random) => Uint8Array | undefined]
> = [
  [
    "a flipped bit",
    (bytes, random) => {
      const at = Math.floor(random() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
      return bytes;
    },
  ],
  [
    "a page of zeros",
    (bytes, random) => {
      const at = Math.floor((random() * bytes.length) / 512) * 512;
      return bytes.fill(0, at, Math.min(bytes.length, at + 512));
    },
  ],
  ["a cut file", (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length))],
  ["a missing file", () => undefined],
];
for (const [what, injure] of injuries) {
  test(`${what} in the journal loses nothing in silence`, async (t) => {
    const random = seeded(99);
    const files = new RecordedFiles(random);
    const { journal, acknowledged } = await write(files, random, () => undefined);
    await journal.close();
    const names = files.list().filter((name) => name !== markName);
    let reported = 0;
    for (let round = 0; round < 150; round += 1) {
      const contents = new Map(files.list().map((name) => [name, Buffer.from(files.read(name))]));
      const victim = names[Math.floor(random() * names.length)] ?? "";
      const injured = injure(Buffer.from(files.read(victim)), random);
      if (injured) contents.set(victim, Buffer.from(injured));
      else contents.delete(victim);
      const found = read(filesOf(contents));
      const present = idsIn(found);
      const lost = [...acknowledged].filter((id) => !present.has(id));
      const named = found.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      t.true(named >= lost.length, `round ${round} in ${victim}: ${lost.join()}`);
      if (named > 0) reported += 1;
    }
    t.true(reported > 5);
  });
}

test("a damaged record names its run; one that the database has is no loss", async (t) => {
  const random = seeded(5);
  const files = new RecordedFiles(random);
  const { journal } = await write(files, random, () => undefined);
  await journal.close();
  const name = files.list().find((each) => each.endsWith(".segment")) ?? "";
  const bytes = Buffer.from(files.read(name));
  bytes.writeUInt8(bytes.readUInt8(64 + 70) ^ 1, 64 + 70);
  const injured = filesOf(
    new Map(files.list().map((each) => [each, each === name ? bytes : files.read(each)])),
  );
  const id = change(1, random).id;
  t.deepEqual(read(injured).missing, [{ from: 1, to: 1, run: { id, kind: "accepted" } }]);
  t.deepEqual(read(injured, { epoch, sequence: 1 }).missing, []);
});
