/** Files that a configuration reads. */
import { join } from "node:path";
import test from "ava";
import { output } from "../../tests/support/child.js";
import { within } from "../../tests/support/eventually.js";
import { folder } from "../../tests/support/folder.js";
import { answerFrom, realDisk } from "./disk.js";

test("a named pipe is refused at once: without a writer it never ends", async (t) => {
  const directory = folder(t);
  output("mkfifo", [join(directory, "pipe")]);
  const disk = { ...realDisk, environment: {}, overlay: new Map<string, string>() };
  const need = { kind: "file", path: join(directory, "pipe"), within: [directory] } as const;
  t.like(await within("an answer", answerFrom(disk, need)), {
    kind: "no_file",
    why: "unreadable",
    detail: "it is not a regular file",
  });
});
