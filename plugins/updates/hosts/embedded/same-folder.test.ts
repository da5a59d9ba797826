import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { StoreMap } from "reeve/plugin";
import { isSameFolder } from "./same-folder.js";

/** What a map of the store does, in memory. */
function mapOf(): StoreMap<string> {
  const kept = new Map<string, string>();
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => kept.delete(key),
    entries: async () => [...kept],
  };
}

test("the first daemon's folder is the one; another folder is not", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-folder-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const shared = mapOf();
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  t.true(await isSameFolder(one, shared));
  t.true(await isSameFolder(one, shared), "seen by the next daemon");
  t.false(await isSameFolder(other, shared), "a folder of the same content at best");
  t.true(await isSameFolder(one, mapOf()), "another database, the same folder");
  t.true(await isSameFolder(one, shared), "which is still the first one's");
});
