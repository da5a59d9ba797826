import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { folder } from "../../../tests/support/folder.js";
import {
  leaveFilesRoom,
  ownPrefix,
  privateFilesDirectory,
  removeStaleFiles,
} from "./private-files.js";

/** A room that no other test has, gone after the test. */
async function roomFor(
  t: ExecutionContext,
): Promise<{ readonly room: string; readonly state: string }> {
  const state = join(tmpdir(), `state-of-${process.pid}-${t.title}`);
  const room = await privateFilesDirectory(state);
  if (room === undefined) throw new Error("there is no room");
  t.teardown(() => rmSync(room, { recursive: true, force: true }));
  return { room, state };
}

function fill(room: string, name: string): string {
  const directory = join(room, name);
  mkdirSync(directory);
  writeFileSync(join(directory, "key"), "secret");
  return directory;
}

test("files of ended processes are removed, those of running ones stay", async (t) => {
  const { room, state } = await roomFor(t);
  const ended = child(t, "/bin/true");
  const { pid } = ended;
  await ended.ended;
  const [own, gone, later] = [
    fill(room, `${await ownPrefix()}abcdef`),
    fill(room, `${pid}-12345-abcdef`),
    fill(room, `${process.pid}-1-abcdef`),
  ];
  await removeStaleFiles(state);
  t.true(existsSync(join(own, "key")));
  t.false(existsSync(gone), "its process is gone");
  t.false(existsSync(later), "its number was given to another process");
});

test("nothing outside is touched, whatever lies in what was left", async (t) => {
  const { room, state } = await roomFor(t);
  const outside = folder(t, { precious: "" });
  const left = fill(room, "1-1-abcdef");
  symlinkSync(outside, join(left, "link"));
  symlinkSync(outside, join(room, "2-1-abcdef"));
  const deep = fill(room, "3-1-abcdef");
  mkdirSync(join(deep, "below"));
  await removeStaleFiles(state);
  t.deepEqual(readdirSync(outside), ["precious"]);
  t.false(existsSync(left));
  t.true(existsSync(deep), "a directory that nobody here made is not entered");
});

test("a directory that other users can change is neither used nor swept", async (t) => {
  const { room, state } = await roomFor(t);
  const left = fill(room, "1-1-abcdef");
  chmodSync(room, 0o777);
  t.is(await privateFilesDirectory(state), undefined);
  await removeStaleFiles(state);
  t.true(existsSync(left));
});

test("an empty parent directory is removed", async (t) => {
  const { room, state } = await roomFor(t);
  const used = fill(room, "1-1-abcdef");
  leaveFilesRoom(state);
  t.true(existsSync(used));
  await removeStaleFiles(state);
  leaveFilesRoom(state);
  t.false(existsSync(room));
});

test("without a directory there is nothing to sweep", async (t) => {
  await t.notThrowsAsync(removeStaleFiles(join(tmpdir(), `no-state-of-${process.pid}`)));
});
