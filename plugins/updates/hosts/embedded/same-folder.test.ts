import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { isSameFolder } from "./same-folder.js";

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-folder-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What records do: the first mark is kept. */
function records(): (mark: string) => Promise<string> {
  let kept: string | undefined;
  return async (mark) => (kept ??= mark);
}

test("the first daemon's folder is recorded; another folder differs", async (t) => {
  const folder = folderFor(t);
  const shared = records();
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  t.true(await isSameFolder(one, shared));
  t.true(await isSameFolder(one, shared), "seen by the next daemon");
  t.false(await isSameFolder(other, shared), "a folder of the same content at best");
  t.true(await isSameFolder(one, records()), "another database, the same folder");
  t.true(await isSameFolder(one, shared), "which is still the first one's");
});

test("daemons that start at the same time agree on the folder", async (t) => {
  const one = join(folderFor(t), "one");
  const shared = records();
  const seen = await Promise.all(Array.from({ length: 20 }, () => isSameFolder(one, shared)));
  t.deepEqual(
    seen,
    seen.map(() => true),
  );
  t.deepEqual(readdirSync(one), [".reeve-folder"]);
});
