/** Real files, as editors, deployments and git change them. */ import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../tests/support/child.js";
import type { FileSet, WatchOptions } from "../plugin-api/files.js";
import { directoryWith, EventRecorder, recordingLog, write } from "../reload/testing/directory.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { createFileService } from "./files.js";

const QUIET_TIME = 30;

/** Reported changes of these patterns, as `name: content` lines. */
async function changes(
  t: ExecutionContext,
  directory: string,
  patterns: readonly string[],
  options: WatchOptions = {},
) {
  const log = recordingLog();
  const files = createFileService({ log, clock: pacedClock });
  t.teardown(() => files.close());
  const received = new EventRecorder<readonly string[]>();
  const show = (set: FileSet) =>
    set.files.map(
      ({ path, content, error }) =>
        `${path.slice(directory.length + 1)}: ${error ?? Buffer.from(content).toString()}`,
    );
  const absolute = patterns.map((pattern) => join(directory, pattern));
  const watch = await files.watch(absolute, { applyFiles: QUIET_TIME, ...options }, (set) =>
    received.add(show(set)),
  );
  /** Resolves when a change of another file, made now, is reported: whatever was done before has had its time. */
  const seen = async (): Promise<void> => {
    const beside = join(directoryWith(t), "beside");
    const sets = new EventRecorder<FileSet>();
    await files.watch([beside], { applyFiles: QUIET_TIME }, sets.add);
    writeFileSync(beside, "");
    await sets.find((set) => set.files[0]?.error === undefined);
  };
  return { received, watch, log, seen };
}

/** Ways to give `a.txt` the content `new`; each is reported exactly once and complete. */
const edits: Readonly<Record<string, (file: string) => void | Promise<void>>> = {
  "written in place": (file) => writeFileSync(file, "new"),
  "a new file renamed over it": (file) => {
    writeFileSync(`${file}.tmp`, "new");
    renameSync(`${file}.tmp`, file);
  },
  "deleted and created again": (file) => {
    unlinkSync(file);
    writeFileSync(file, "new");
  },
  "deleted and created again after a while": async (file) => {
    unlinkSync(file);
    await pacedClock.sleep(4 * QUIET_TIME);
    writeFileSync(file, "new");
  },
  "moved away as a backup and written anew": (file) => {
    renameSync(file, `${file}~`);
    writeFileSync(file, "new");
    unlinkSync(`${file}~`);
  },
  "written by a slow writer": async (file) => {
    writeFileSync(file, "");
    for (const letter of "new") {
      await pacedClock.sleep(QUIET_TIME / 3);
      appendFileSync(file, letter);
    }
  },
  "its directory replaced by another one": (file) => {
    const directory = join(file, "..");
    renameSync(directory, `${directory}.old`);
    write(directory, { "a.txt": "new" });
    rmSync(`${directory}.old`, { recursive: true });
  },
  "its directory deleted and created again": (file) => {
    const directory = join(file, "..");
    rmSync(directory, { recursive: true });
    write(directory, { "a.txt": "new" });
  },
};

for (const [how, edit] of Object.entries(edits)) {
  test(`a file is reported once, complete: ${how}`, async (t) => {
    const directory = directoryWith(t, { "in/a.txt": "old" });
    const { received } = await changes(t, directory, ["in/a.txt"]);
    await edit(join(directory, "in/a.txt"));
    await received.find(([line]) => line === "in/a.txt: new");
    writeFileSync(join(directory, "in/a.txt"), "last");
    await received.find(([line]) => line === "in/a.txt: last");
    t.deepEqual(received.items, [["in/a.txt: old"], ["in/a.txt: new"], ["in/a.txt: last"]]);
  });
}

test("rewriting an equal text is not reported", async (t) => {
  const directory = directoryWith(t, { "a.txt": "same" });
  const { received, seen } = await changes(t, directory, ["a.txt"]);
  for (let time = 0; time < 3; time += 1) {
    writeFileSync(join(directory, "a.txt"), "same");
    await seen();
  }
  writeFileSync(join(directory, "a.txt"), "other");
  await received.next();
  t.deepEqual(received.items, [["a.txt: same"], ["a.txt: other"]]);
});

test("siblings of a watched file are not reported", async (t) => {
  const directory = directoryWith(t, { "a.txt": "1" });
  const { received, seen } = await changes(t, directory, ["a.txt"]);
  write(directory, { "b.txt": "x", "sub/a.txt": "x" });
  await seen();
  writeFileSync(join(directory, "a.txt"), "2");
  await received.next();
  t.deepEqual(received.items, [["a.txt: 1"], ["a.txt: 2"]]);
});

test("files of a mounted volume change together when `..data` is swapped", async (t) => {
  const directory = directoryWith(t, {
    "..one/a.txt": "a1",
    "..one/b.txt": "b1",
    "..two/a.txt": "a2",
    "..two/b.txt": "b2",
  });
  symlinkSync("..one", join(directory, "..data"));
  for (const name of ["a.txt", "b.txt"]) symlinkSync(`..data/${name}`, join(directory, name));
  const { received } = await changes(t, directory, ["*.txt"]);
  symlinkSync("..two", join(directory, "..data_tmp"));
  renameSync(join(directory, "..data_tmp"), join(directory, "..data"));
  rmSync(join(directory, "..one"), { recursive: true });
  await received.next();
  writeFileSync(join(directory, "..two/b.txt"), "b3");
  await received.next();
  t.deepEqual(received.items, [
    ["a.txt: a1", "b.txt: b1"],
    ["a.txt: a2", "b.txt: b2"],
    ["a.txt: a2", "b.txt: b3"],
  ]);
});

test("a link in the middle of the path that leads elsewhere is noticed", async (t) => {
  const directory = directoryWith(t, { "v1/etc/a.txt": "1", "v2/etc/a.txt": "2" });
  symlinkSync("v1", join(directory, "current"));
  const { received } = await changes(t, directory, ["current/etc/a.txt"]);
  symlinkSync("v2", join(directory, "next"));
  renameSync(join(directory, "next"), join(directory, "current"));
  await received.next();
  t.deepEqual(received.items, [["current/etc/a.txt: 1"], ["current/etc/a.txt: 2"]]);
});

test("a missing file is reported when it appears, with its parent directories", async (t) => {
  const directory = directoryWith(t);
  const { received } = await changes(t, directory, ["one/two/a.txt"]);
  write(directory, { "one/two/a.txt": "here" });
  await received.next();
  t.deepEqual(received.items, [["one/two/a.txt: not found"], ["one/two/a.txt: here"]]);
});

test("new files, also in new directories, join what a pattern stands for", async (t) => {
  const directory = directoryWith(t, { "a.reeve": "a" });
  const { received } = await changes(t, directory, ["**/*.reeve"]);
  write(directory, { "b.reeve": "b" });
  await received.next();
  write(directory, { "deep/er/c.reeve": "c", "deep/er/c.txt": "no" });
  await received.next();
  write(directory, { "deep/er/c.reeve": "c2" });
  await received.next();
  unlinkSync(join(directory, "b.reeve"));
  await received.next();
  t.deepEqual(received.items, [
    ["a.reeve: a"],
    ["a.reeve: a", "b.reeve: b"],
    ["a.reeve: a", "b.reeve: b", "deep/er/c.reeve: c"],
    ["a.reeve: a", "b.reeve: b", "deep/er/c.reeve: c2"],
    ["a.reeve: a", "deep/er/c.reeve: c2"],
  ]);
});

test("a directory whose name looks like a pattern is a directory", async (t) => {
  const directory = directoryWith(t, { "[old] {x}/a.reeve": "1" });
  const { received } = await changes(t, directory, ["[old] {x}/*.reeve", "[old] {x}/a.reeve"]);
  write(directory, { "[old] {x}/a.reeve": "2" });
  await received.next();
  t.deepEqual(received.items, [["[old] {x}/a.reeve: 1"], ["[old] {x}/a.reeve: 2"]]);
});

test("what has no content says why", async (t) => {
  const directory = directoryWith(t, { "big.txt": "x".repeat(2049) });
  mkdirSync(join(directory, "directory"));
  symlinkSync("loop", join(directory, "loop"));
  output("mkfifo", [join(directory, "pipe")]);
  const names = ["big.txt", "directory", "gone", "loop", "pipe"];
  const { received } = await changes(t, directory, names, { maxBytes: 2048 });
  t.deepEqual(received.items, [
    [
      "big.txt: larger than 2 KiB",
      "directory: is a directory",
      "gone: not found",
      "loop: its symbolic links go in a circle",
      "pipe: is not a regular file",
    ],
  ]);
});

test("a stream of edits that never rests is read all the same", async (t) => {
  const directory = directoryWith(t, { "a.txt": "0" });
  const { received } = await changes(t, directory, ["a.txt"]);
  let writing = true;
  const writer = (async () => {
    for (let count = 1; writing; count += 1) {
      writeFileSync(join(directory, "a.txt"), `${count}`);
      await pacedClock.sleep(QUIET_TIME / 5);
    }
  })();
  await received.next();
  writing = false;
  await writer;
  t.not(received.items.at(-1)?.[0], "a.txt: 0");
});

test("after `close` nothing is reported", async (t) => {
  const directory = directoryWith(t, { "a.txt": "1" });
  const { received, watch, seen } = await changes(t, directory, ["a.txt"]);
  writeFileSync(join(directory, "a.txt"), "2");
  await watch.close();
  await seen();
  t.deepEqual(received.items, [["a.txt: 1"]]);
});

test("a listener that throws is logged and called again", async (t) => {
  const directory = directoryWith(t, { "a.txt": "1" });
  const log = recordingLog();
  const files = createFileService({ log, clock: pacedClock });
  t.teardown(() => files.close());
  const received = new EventRecorder<number>();
  await files.watch([join(directory, "a.txt")], { applyFiles: QUIET_TIME }, () => {
    received.add(received.items.length);
    if (received.items.length === 2) throw new Error("no room");
  });
  writeFileSync(join(directory, "a.txt"), "2");
  await received.find((count) => count === 1);
  writeFileSync(join(directory, "a.txt"), "3");
  await received.find((count) => count === 2);
  t.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields.reason]),
    [["error", "no room"]],
  );
});

test("a relative path is refused with a sentence", async (t) => {
  const files = createFileService({ log: recordingLog(), clock: pacedClock });
  await t.throwsAsync(
    files.watch(["a.txt"], {}, () => undefined),
    { message: "The path a.txt to watch is not absolute." },
  );
});
