/** What the system does not tell: it is found out nevertheless. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { output, runSync } from "../../tests/support/child.js";
import type { FileSet } from "../plugin-api/files.js";
import { directoryWith, EventRecorder, recordingLog } from "../reload/testing/directory.js";
import { FakeClock } from "../services/fake-clock.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { createFileService } from "./files.js";
import { StableWatcher } from "./stable-watcher.js";

const textOf = ({ files: [file] }: FileSet): string => Buffer.from(file?.content ?? []).toString();

async function following(path: string) {
  const files = createFileService({ log: recordingLog(), clock: pacedClock });
  const received = new EventRecorder<string>();
  await files.watch([path], { applyFiles: 5 }, (set) => received.add(textOf(set)));
  return { files, received };
}

test("a save after so many events that the system dropped the rest", async (t) => {
  const directory = directoryWith(t, { "a.txt": "old" });
  const { files, received } = await following(join(directory, "a.txt"));
  t.teardown(() => files.close());
  const most = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
  // Nothing is taken from the queue while this runs.
  const flood =
    'i=0; while [ $i -lt "$1" ]; do : > x; : > y; i=$((i + 1)); done; printf new > a.txt';
  runSync("sh", ["-c", flood, "sh", String(most)], { cwd: directory });
  t.is(await received.find((text) => text === "new"), "new");
});

/** The poll of all files, which waits a second or longer, never comes. */
class ClockOfShortSleeps extends FakeClock {
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(milliseconds < 1_000 ? milliseconds : Number.POSITIVE_INFINITY, signal);
  }
}

test("a write into a directory that was replaced together with its parent", async (t) => {
  const directory = directoryWith(t, { "up/in/a.txt": "old", "next/in/a.txt": "swapped" });
  const clock = new ClockOfShortSleeps(Date.now());
  const received = new EventRecorder<string>();
  const watch = new StableWatcher({
    log: recordingLog(),
    clock,
    quietTime: 5,
    maxBytes: 1024,
    changed: (set) => received.add(textOf(set)),
  });
  t.teardown(() => watch.close());
  await watch.watch([join(directory, "up/in/a.txt")]);
  renameSync(join(directory, "up"), join(directory, "before"));
  renameSync(join(directory, "next"), join(directory, "up"));
  const swapped = received.find((text) => text === "swapped");
  await clock.until(swapped, 5);
  writeFileSync(join(directory, "up/in/a.txt"), "new");
  const written = received.find((text) => text === "new");
  await clock.until(written, 5);
  t.is(await written, "new");
});

/** Runs in a mount namespace of its own, in which `a.txt` is another name of the file `host.txt`. */
const mounted = `
const { createFileService } = await import(process.argv[1]);
const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const { setTimeout: sleep } = await import("node:timers/promises");
const clock = { now: Date.now, sleep: (time, signal) => sleep(time, undefined, { signal }) };
const files = createFileService({ log, clock });
const told = Promise.withResolvers();
await files.watch([process.argv[2] + "/in/a.txt"], { settle: 5 }, ({ files: [file] }) => {
  const text = Buffer.from(file.content).toString();
  console.log(text);
  if (text === "new") told.resolve();
});
(await import("node:fs")).writeFileSync(process.argv[2] + "/host.txt", "new");
await told.promise;
await files.close();
`;

test("a save of a file that is mounted on another", (t) => {
  const directory = directoryWith(t, { "host.txt": "old", "in/a.txt": "" });
  const module = new URL("./files.js", import.meta.url).href;
  const node = [process.execPath, "--input-type=module", "-e", mounted, module, directory];
  const mount = 'mount --bind "$0/host.txt" "$0/in/a.txt" && exec "$@"';
  const said = output("unshare", ["-Urm", "sh", "-c", mount, directory, ...node]);
  t.is(said, "old\nnew\n");
});
