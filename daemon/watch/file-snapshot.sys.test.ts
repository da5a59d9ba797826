/** What has to be looked at after something happened, and that nothing is missed by looking at less. */

import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { eventually } from "../../tests/support/eventually.js";
import { runs } from "../../tests/support/runs.js";
import { type Clock } from "../plugin-api/context.js";
import { type FileSet } from "../plugin-api/files.js";
import { directoryWith, recordingLog, write } from "../reload/testing/directory.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { ChangedPaths } from "./changes.js";
import {
  type FileSnapshot,
  refreshSnapshot,
  staleFiles,
  takeSnapshot,
  unverifiedFiles,
} from "./file-snapshot.js";
import { readBlocking, sameSet } from "./read-files.js";
import { StableWatcher } from "./stable-watcher.js";
import { pollStats } from "./stat-poll.js";

const MAX = { maxBytes: 1024 };
type Touch = readonly string[] | "everything";

/** After the look, `change` is made and the watches tell of `happened`. */
const table: ReadonlyArray<
  readonly [title: string, change: (at: string) => void, happened: string, expected: Touch]
> = [
  ["a file that is wanted", (at) => writeFileSync(join(at, "a.x"), "2"), "a.x", ["a.x"]],
  ["a file that matches no request", (at) => writeFileSync(join(at, "a.y"), ""), "a.y", []],
  ["a name that was there for a moment only", () => undefined, "a.x.tmp", []],
  ["a new file that is wanted", (at) => writeFileSync(join(at, "b.x"), ""), "b.x", "everything"],
  ["a file that is gone", (at) => unlinkSync(join(at, "a.x")), "a.x", "everything"],
  ["a link in place of a file", (at) => linked(at), "a.x", "everything"],
  ["a new directory", (at) => mkdirSync(join(at, "new")), "new", "everything"],
  [
    "a directory of wanted files that is gone",
    (at) => rmSync(join(at, "d"), RM),
    "d",
    "everything",
  ],
  ["a directory outside the snapshot", () => undefined, "elsewhere/a.x", "everything"],
];
const RM = { recursive: true } as const;

function linked(at: string): void {
  unlinkSync(join(at, "a.x"));
  symlinkSync("a.y", join(at, "a.x"));
}

for (const [title, change, happened, expected] of table) {
  test(`${title}: ${expected === "everything" ? expected : `[${expected}]`} is read again`, async (t) => {
    const at = directoryWith(t, { "a.x": "1", "d/c.x": "1" });
    const look = await takeSnapshot([join(at, "**/*.x")], MAX);
    change(at);
    const changedPaths = new ChangedPaths();
    const path = join(at, happened);
    changedPaths.add(dirname(path), basename(path));
    const indexes = await staleFiles(look, changedPaths);
    t.deepEqual(
      indexes
        ? [...indexes.values()]
            .flat()
            .map((index) => look.set.files[index]?.path.slice(at.length + 1))
        : "everything",
      expected,
    );
  });
}

/** Once nothing was written so recently that it may change without a trace. */
const surely = (snapshot: () => Promise<FileSnapshot>): Promise<FileSnapshot> =>
  eventually("files that are sure", async () => {
    const taken = await snapshot();
    return taken.readings.every(({ isSure, file }) => isSure || file.error) ? taken : undefined;
  });

test("in a directory with a link to a wanted file every name matters", async (t) => {
  const at = directoryWith(t, { "real.y": "1" });
  symlinkSync("real.y", join(at, "a.x"));
  const look = await takeSnapshot([join(at, "a.x")], MAX);
  writeFileSync(join(at, "real.y"), "2");
  const changedPaths = new ChangedPaths();
  changedPaths.add(at, "real.y");
  t.is(await staleFiles(look, changedPaths), undefined);
});

test("a file that says it is the same is not read again", async (t) => {
  const at = directoryWith(t, { "a.x": "1" });
  const wanted = [join(at, "*.x")];
  const old = await surely(() => takeSnapshot(wanted, MAX));
  t.is((await takeSnapshot(wanted, MAX, old)).set.files[0], old.set.files[0]);
});

test("one that is read again and contains the same is the same object", async (t) => {
  const at = directoryWith(t, { "a.x": "1", "b.x": "1" });
  const old = await takeSnapshot([join(at, "*.x")], MAX);
  writeFileSync(join(at, "a.x"), "1");
  const same = await refreshSnapshot(old, new Map([[at, [0]]]), MAX);
  t.is(same.set, old.set);
  writeFileSync(join(at, "a.x"), "2");
  const other = await refreshSnapshot(old, new Map([[at, [0]]]), MAX);
  t.is(Buffer.from(other.set.files[0]?.content ?? []).toString(), "2");
  t.is(other.set.files[1], old.set.files[1]);
});

test("one that was just written is not believed: it may be written again within the same tick of the clock", (t) => {
  const at = directoryWith(t);
  const path = join(at, "a.x");
  const sure = Array.from({ length: 20 }, (_, index) => {
    writeFileSync(path, String(index));
    return readBlocking(path, MAX.maxBytes).isSure;
  });
  t.true(sure.includes(false));
});

test("a glance sees what was written, came and went, and nothing else", async (t) => {
  const at = directoryWith(t, { "a.x": "1", "b.x": "1", "d/c.x": "1", "a.y": "1" });
  const wanted = [join(at, "**/*.x"), join(at, "missing.y")];
  const look = await surely(() => takeSnapshot(wanted, MAX));
  const seen = async () => {
    const { everywhere, names } = await pollStats(wanted, look);
    return everywhere || [...names].map(([folder, those]) => [basename(folder), ...those]);
  };
  t.deepEqual(await seen(), []);
  writeFileSync(join(at, "a.y"), "2");
  t.deepEqual(await seen(), []);
  writeFileSync(join(at, "d/c.x"), "2");
  t.deepEqual(await seen(), [["d", "c.x"]]);
  renameSync(join(at, "b.x"), join(at, "n.x"));
  t.true(await seen());
  renameSync(join(at, "n.x"), join(at, "b.x"));
  rmSync(join(at, "a.x"));
  t.true(await seen());
});

test("a file that was read a moment after it was written is looked at once more", async (t) => {
  const at = directoryWith(t);
  const path = join(at, "a.x");
  let look = await takeSnapshot([path], MAX);
  do {
    writeFileSync(path, "1");
    look = await takeSnapshot([path], MAX);
  } while (look.readings[0]?.isSure !== false);
  await surely(() => takeSnapshot([path], MAX));
  t.deepEqual([...(await pollStats([path], look)).names.keys()], [at]);
});

test("what was written just now, or is not on this machine, may have changed without a trace", async (t) => {
  const at = directoryWith(t, { "a.x": "1", "b.x": "1" });
  await surely(() => takeSnapshot([join(at, "*.x")], MAX));
  let look: FileSnapshot;
  do {
    writeFileSync(join(at, "b.x"), "2");
    look = await takeSnapshot([join(at, "*.x")], MAX);
  } while (look.readings[1]?.isSure !== false);
  t.deepEqual(unverifiedFiles(look), new Map([[at, [1]]]));
  t.deepEqual(unverifiedFiles({ ...look, near: new Set() }), new Map([[at, [0, 1]]]));
});

const names = fc.constantFrom("a.x", "b.x", "c.y", "d/a.x", "d/e/a.x", "l.x", "a.x.tmp");
const edits = fc.oneof(
  fc.tuple(fc.constant("write" as const), names),
  fc.tuple(fc.constant("replace" as const), names),
  fc.tuple(fc.constant("delete" as const), names),
  fc.tuple(fc.constant("move" as const), names),
  fc.tuple(fc.constant("link" as const), names),
  fc.tuple(fc.constant("wait" as const), fc.constant("")),
);

/** Without the glance now and then, which would find out what was missed. */
const unglancing: Clock = {
  now: () => pacedClock.now(),
  sleep: (time, signal) => pacedClock.sleep(time >= 1_000 ? 1e8 : time, signal),
};

test("whatever is done, in the end what was told is what is there", async (t) => {
  const property = fc.asyncProperty(
    fc.array(edits, { minLength: 1, maxLength: 12 }),
    async (done) => {
      const at = directoryWith(t, { "a.x": "0", "d/a.x": "0", "c.y": "0" });
      const wanted = [join(at, "**/*.x"), join(at, "c.y")];
      let changes: FileSet = { files: [] };
      const watch = new StableWatcher({
        log: recordingLog(),
        clock: unglancing,
        quietTime: 10,
        ...MAX,
        changed: (set) => {
          changes = set;
        },
      });
      try {
        changes = await watch.watchStable(wanted);
        for (const [index, [kind, name]] of done.entries()) {
          if (kind === "wait") await pacedClock.sleep(25);
          else quietly(() => edit(kind, join(at, name), String(index)));
        }
        const there = async () => (await takeSnapshot(wanted, MAX)).set;
        return await eventually("the files that are there", async () =>
          sameSet(changes, await there()),
        );
      } finally {
        await watch.close();
        rmSync(at, RM);
      }
    },
  );
  t.timeout(120_000);
  await t.notThrowsAsync(fc.assert(property, { numRuns: runs(8, 40) }));
});

function edit(
  kind: "write" | "replace" | "delete" | "move" | "link",
  path: string,
  content: string,
) {
  const directory = dirname(path);
  if (kind === "write") write(directory, { [basename(path)]: content });
  else if (kind === "delete") rmSync(path, RM);
  else if (kind === "move") renameSync(path, join(directory, "moved.x"));
  else if (kind === "link") symlinkSync("c.y", path);
  else {
    write(directory, { "new.tmp": content });
    renameSync(join(directory, "new.tmp"), path);
  }
}

/** What cannot be done, such as moving what is not there, changes nothing. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {}
}
