/** The journal's files on a real disk. */
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { blockPool } from "../../../../tests/support/blocked-pool.js";
import { within } from "../../../../tests/support/eventually.js";
import { folder } from "../../../../tests/support/folder.js";
import { journalFilesIn } from "./files.js";

test.serial("nothing of the journal waits for the process's pool of file threads", async (t) => {
  const directory = folder(t);
  const release = blockPool(t);
  let answered = false;
  void stat("/").then(() => {
    answered = true;
  });
  const files = journalFilesIn(directory);
  const file = files.open("one");
  file.write(Buffer.from("accepted"), 0);
  await within("a sync", file.sync(), 10_000);
  await within("the names", files.syncNames(), 10_000);
  await within("a segment ahead", files.open("two").fill(1_000_000), 10_000);
  file.close();
  t.false(answered, "the pool was blocked for the whole time");
  t.is(readFileSync(join(directory, "one"), "utf8"), "accepted");
  t.is(readFileSync(join(directory, "two")).length, 1_000_000);
  release();
});

test.serial("an error of the disk has its code, and what comes after it works", async (t) => {
  const files = journalFilesIn("/dev");
  const full = files.open("full");
  await t.throwsAsync(full.fill(10), { code: "ENOSPC" });
  await t.throwsAsync(full.sync(), { code: "EINVAL" });
  const nothing = files.open("null");
  await t.notThrowsAsync(nothing.fill(10));
  for (const file of [full, nothing]) file.close();
});
