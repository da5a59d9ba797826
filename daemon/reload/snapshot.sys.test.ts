/** A snapshot answers as the disk did when it was taken. */ import {
  mkdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { output } from "../../tests/support/child.js";
import { RecordingDisk, snapshotDisk, sourcesOf } from "./snapshot.js";
import { directoryWith } from "./testing/directory.js";

test("what was read and matched is answered again, the rest is absent", async (t) => {
  const directory = directoryWith(t, { "main.reeve": "# ä\n", "hooks/a.reeve": "", "b.txt": "b" });
  const at = (name: string) => join(directory, name);
  const disk = new RecordingDisk();
  t.is(Buffer.from(await disk.readFile(at("main.reeve"))).toString(), "# ä\n");
  await disk.readFile(at("hooks/a.reeve"));
  await t.throwsAsync(disk.readFile(at("none.reeve")), { code: "ENOENT" });
  t.deepEqual(await disk.glob(at("hooks/*.reeve")), [at("hooks/a.reeve")]);

  const snapshot = disk.snapshot(at("main.reeve"));
  t.deepEqual(snapshot, {
    root: at("main.reeve"),
    files: { [at("main.reeve")]: "# ä\n", [at("hooks/a.reeve")]: "" },
    globs: { [at("hooks/*.reeve")]: [at("hooks/a.reeve")] },
  });
  const replayed = snapshotDisk(snapshot);
  t.is(Buffer.from(await replayed.readFile(at("main.reeve"))).toString(), "# ä\n");
  t.is((await replayed.readFile(at("hooks/a.reeve"))).length, 0);
  await t.throwsAsync(async () => replayed.readFile(at("b.txt")), { code: "ENOENT" });
  await t.throwsAsync(async () => replayed.readFile("constructor"), { code: "ENOENT" });
  t.deepEqual(await replayed.glob(at("hooks/*.reeve")), [at("hooks/a.reeve")]);
  t.deepEqual(await replayed.glob("*.txt"), []);
  t.deepEqual(await replayed.glob("constructor"), []);
  t.is(await replayed.realPath(at("b.txt")), at("b.txt"));
  t.deepEqual(
    [...sourcesOf(snapshot)],
    [
      ["main.reeve", { path: "main.reeve", text: "# ä\n" }],
      ["hooks/a.reeve", { path: "hooks/a.reeve", text: "" }],
    ],
  );
});

test("what is no text is not in a snapshot; a byte order mark stays", async (t) => {
  const directory = directoryWith(t, { bom: "\uFEFFx" });
  writeFileSync(join(directory, "binary"), Uint8Array.of(0xff, 0xfe, 0x00));
  const disk = new RecordingDisk();
  for (const name of ["bom", "binary"]) await disk.readFile(join(directory, name));
  t.deepEqual(disk.snapshot(directory).files, { [join(directory, "bom")]: "\uFEFFx" });
});

test("a pipe is refused, as reading it would never end", async (t) => {
  const directory = directoryWith(t);
  output("mkfifo", [join(directory, "pipe")]);
  mkdirSync(join(directory, "folder"));
  const disk = new RecordingDisk();
  await t.throwsAsync(disk.readFile(join(directory, "pipe")), {
    message: "it is not a regular file",
  });
  await t.throwsAsync(disk.readFile(join(directory, "folder")), { code: "EISDIR" });
});

test("the hash depends on contents, absences and matches, not on their order", async (t) => {
  const directory = directoryWith(t, { a: "1", b: "2" });
  const hashOf = async (names: readonly string[], patterns: readonly string[] = []) => {
    const disk = new RecordingDisk();
    for (const name of names) await disk.readFile(join(directory, name)).catch(() => undefined);
    for (const pattern of patterns) await disk.glob(join(directory, pattern));
    return disk.hash();
  };
  const before = await hashOf(["a", "b"]);
  t.is(await hashOf(["b", "a"]), before);
  t.not(await hashOf(["a"]), before);
  t.not(await hashOf(["a", "b", "c"]), before);
  const matches = await hashOf([], ["*"]);
  writeFileSync(join(directory, "c"), "3");
  t.not(await hashOf([], ["*"]), matches);
  t.is(await hashOf(["a", "b"]), before);
  writeFileSync(join(directory, "a"), "4");
  t.not(await hashOf(["a", "b"]), before);
});
