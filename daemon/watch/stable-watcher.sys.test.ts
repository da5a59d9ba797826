/** What is watched, and what happens where the system cannot. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import type { FileSet } from "../plugin-api/files.js";
import { directoryWith, EventRecorder, recordingLog, write } from "../reload/testing/directory.js";
import { FakeClock } from "../services/fake-clock.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { StableWatcher } from "./stable-watcher.js";

const QUIET_TIME = 30;

test("where the system has no watches left, files are looked at instead, and that is said once", async (t) => {
  const directory = directoryWith(t, { "a.txt": "1", "b/c.txt": "1" });
  const log = recordingLog();
  const received = new EventRecorder<FileSet>();
  const watch = new StableWatcher({
    log,
    clock: pacedClock,
    quietTime: QUIET_TIME,
    maxBytes: 1024,
    changed: received.add,
    arm: () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" })),
  });
  t.teardown(() => watch.close());
  await watch.watch([join(directory, "a.txt"), join(directory, "b/*.txt")]);
  write(directory, { "a.txt": "2" });
  const { files } = await received.next();
  t.is(Buffer.from(files[0]?.content ?? []).toString(), "2");
  t.deepEqual(
    log.lines.map(({ fields }) => fields.reason),
    ["the system has no watches left; raise fs.inotify.max_user_watches"],
  );
});

test("few directories are watched: those of the files and those of links to them", async (t) => {
  const directory = directoryWith(t, {
    "etc/main.reeve": "",
    "etc/teams/a.reeve": "",
    "etc/other/much.txt": "",
    "real/linked.txt": "",
  });
  symlinkSync("../real/linked.txt", join(directory, "etc/link.txt"));
  const watch = new StableWatcher({
    log: recordingLog(),
    clock: pacedClock,
    quietTime: QUIET_TIME,
    maxBytes: 1024,
    changed: () => undefined,
  });
  t.teardown(() => watch.close());
  const within = (names: readonly string[]) => names.map((name) => join(directory, name)).sort();
  await watch.watch(within(["etc/main.reeve", "etc/teams/*.reeve", "etc/link.txt"]));
  t.deepEqual([...watch.directories].sort(), within(["etc", "etc/teams", "real"]));
  await watch.watch(within(["etc/main.reeve"]));
  t.deepEqual(watch.directories, within(["etc"]));
});

test("what the system does not tell is found out all the same, now and then", async (t) => {
  const directory = directoryWith(t, { "a.txt": "1" });
  const start = Date.now();
  const clock = new FakeClock(start);
  const received = new EventRecorder<FileSet>();
  const watch = new StableWatcher({
    log: recordingLog(),
    clock,
    quietTime: QUIET_TIME,
    maxBytes: 1024,
    changed: received.add,
    // As on a network file system that is written to elsewhere.
    arm: async () => ({ dead: false, close: async () => undefined }),
  });
  t.teardown(() => watch.close());
  await watch.watch([join(directory, "a.txt")]);
  write(directory, { "a.txt": "2" });
  const changes = received.next();
  await clock.until(changes);
  t.is(Buffer.from((await changes).files[0]?.content ?? []).toString(), "2");
  t.true(clock.now() - start >= 2_000);
});
