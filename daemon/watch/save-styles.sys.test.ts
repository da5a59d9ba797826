/** However and however often a file is saved, the watcher ends up with the content on disk. */ import {
  closeSync,
  copyFileSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../tests/support/child.js";
import type { FileSet } from "../plugin-api/files.js";
import { directoryWith, EventRecorder, recordingLog } from "../reload/testing/directory.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { createFileService } from "./files.js";

/** Each reported content of the file: `undefined` while it is missing. */
async function following(
  t: ExecutionContext,
  path: string,
): Promise<EventRecorder<string | undefined>> {
  const files = createFileService({ log: recordingLog(), clock: pacedClock });
  t.teardown(() => files.close());
  const received = new EventRecorder<string | undefined>();
  const textOf = ({ files: [file] }: FileSet): string | undefined =>
    file && file.error === undefined ? Buffer.from(file.content).toString() : undefined;
  await files.watch([path], { applyFiles: 5 }, (set) => received.add(textOf(set)));
  return received;
}

const rename = (file: string, text: string): void => {
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
};

/** Each gives the file, which is a link to `real.txt` beside it, or that file, the text `new`. */
const styles: Readonly<Record<string, (file: string) => void | Promise<void>>> = {
  "truncated and written": (file) => {
    const open = openSync(file, "r+");
    ftruncateSync(open);
    writeSync(open, "new");
    fsyncSync(open);
    closeSync(open);
  },
  "by a redirection of a shell": (file) => {
    output("sh", ["-c", 'printf new > "$0"', file]);
  },
  "by sed in place": (file) => {
    output("sed", ["-i", "s/old/new/", file]);
  },
  "moved over it": (file) => {
    const other = join(dirname(file), "..", "other");
    writeFileSync(other, "new");
    output("mv", [other, file]);
  },
  "copied over it": (file) => {
    const other = join(dirname(file), "..", "other");
    writeFileSync(other, "new");
    copyFileSync(other, file);
  },
  "renamed over it twice, a while between": async (file) => {
    rename(file, "half");
    await pacedClock.sleep(100);
    rename(file, "new");
  },
  "with a backup that is kept, as vim may": (file) => {
    renameSync(file, `${file}~`);
    writeFileSync(file, "half");
    writeFileSync(file, "new");
  },
  "deleted, created, and written once more": (file) => {
    unlinkSync(file);
    writeFileSync(file, "");
    writeFileSync(file, "new");
  },
  "a link put in its place": (file) => {
    writeFileSync(join(dirname(file), "elsewhere"), "new");
    symlinkSync("elsewhere", `${file}.link`);
    renameSync(`${file}.link`, file);
  },
  "its directory moved away and another one put there": (file) => {
    const directory = dirname(file);
    mkdirSync(`${directory}.next`);
    writeFileSync(join(`${directory}.next`, "a.txt"), "new");
    renameSync(directory, `${directory}.old`);
    renameSync(`${directory}.next`, directory);
  },
  "its directory removed, and made again later": async (file) => {
    rmSync(dirname(file), { recursive: true });
    await pacedClock.sleep(100);
    mkdirSync(dirname(file));
    await pacedClock.sleep(20);
    writeFileSync(file, "new");
  },
  "through another name of the same file, which no directory tells of": (file) => {
    const elsewhere = join(dirname(file), "..", "same");
    linkSync(file, elsewhere);
    writeFileSync(elsewhere, "new");
  },
  "made empty and filled later": async (file) => {
    truncateSync(file);
    await pacedClock.sleep(100);
    writeFileSync(file, "new");
  },
};

for (const [how, save] of Object.entries(styles)) {
  test(`a save is seen: ${how}`, async (t) => {
    const directory = directoryWith(t, { "in/a.txt": "old" });
    const received = await following(t, join(directory, "in/a.txt"));
    await save(join(directory, "in/a.txt"));
    t.is(await received.find((text) => text === "new"), "new");
  });
}

const links: Readonly<Record<string, (directory: string) => void>> = {
  "its target written in place": (directory) => writeFileSync(join(directory, "real/a.txt"), "new"),
  "its target replaced": (directory) => rename(join(directory, "real/a.txt"), "new"),
  "pointed elsewhere": (directory) => {
    writeFileSync(join(directory, "real/b.txt"), "new");
    output("ln", ["-sfn", "../real/b.txt", join(directory, "in/a.txt")]);
  },
};

for (const [how, save] of Object.entries(links)) {
  test(`a save is seen through a link: ${how}`, async (t) => {
    const directory = directoryWith(t, { "real/a.txt": "old", "in/other": "" });
    symlinkSync("../real/a.txt", join(directory, "in/a.txt"));
    const received = await following(t, join(directory, "in/a.txt"));
    save(directory);
    t.is(await received.find((text) => text === "new"), "new");
  });
}

for (const [how, save] of Object.entries({ "in place": writeFileSync, "by renaming": rename })) {
  for (const gap of [0, 2, 10, 25, 45, 60]) {
    test(`the last of two saves ${how}, ${gap} ms apart, is never lost`, async (t) => {
      const directory = directoryWith(t, { "a.txt": "start" });
      const path = join(directory, "a.txt");
      const received = await following(t, path);
      for (let burst = 0; burst < 8; burst += 1) {
        save(path, `first ${burst}`);
        if (gap > 0) await pacedClock.sleep(gap);
        save(path, `last ${burst}`);
        await received.find((text) => text === `last ${burst}`);
      }
      t.is(received.items.at(-1), "last 7");
    });
  }
}
