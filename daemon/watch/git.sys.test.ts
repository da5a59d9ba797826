/** The configuration lives in git: what git is about to change is read when git is done. */

import { readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../tests/support/child.js";
import { eventually } from "../../tests/support/eventually.js";
import { type FileSet } from "../plugin-api/files.js";
import { directoryWith, EventRecorder, recordingLog, write } from "../reload/testing/directory.js";
import { git, repositoryWith } from "../reload/testing/repository.js";
import { pacedClock } from "../services/testing/paced-clock.js";
import { gitActivity } from "./git-idle.js";
import { StableWatcher } from "./stable-watcher.js";

const QUIET_TIME = 30;

async function watching(t: ExecutionContext, directory: string, names: readonly string[]) {
  const received = new EventRecorder<readonly string[]>();
  const show = ({ files }: FileSet) =>
    files.map(({ content, error }) => error ?? Buffer.from(content).toString());
  const watch = new StableWatcher({
    log: recordingLog(),
    clock: pacedClock,
    quietTime: QUIET_TIME,
    maxBytes: 1024,
    changed: (files) => received.add(show(files)),
  });
  t.teardown(() => watch.close());
  received.add(show(await watch.watch(names.map((name) => join(directory, name)))));
  return { received, held: () => watch.held };
}

test("a checkout of another branch is one change, however many files it touches", async (t) => {
  const names = ["a.txt", "b.txt", "in/c.txt"];
  const of = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const directory = repositoryWith(t, of("main"));
  git(directory, "checkout", "-qb", "other");
  write(directory, of("other"));
  git(directory, "commit", "-qam", "other");
  const { received } = await watching(t, directory, names);
  git(directory, "checkout", "-q", "main");
  await received.next();
  git(directory, "checkout", "-q", "other");
  await received.next();
  t.deepEqual(received.items, [
    ["other", "other", "other"],
    ["main", "main", "main"],
    ["other", "other", "other"],
  ]);
});

test("while git holds its lock nothing is reported; afterwards the last state is", async (t) => {
  const directory = repositoryWith(t, { "a.txt": "before" });
  const { received, held } = await watching(t, directory, ["a.txt"]);
  const lock = join(directory, ".git/index.lock");
  writeFileSync(lock, "");
  writeFileSync(join(directory, "a.txt"), "half");
  await eventually("a hold", () => held() !== undefined);
  t.is(held()?.activity, "a change of the work tree");
  writeFileSync(join(directory, "a.txt"), "whole");
  unlinkSync(lock);
  await received.next();
  t.deepEqual(received.items, [["before"], ["whole"]]);
  t.is(held(), undefined);
});

test("a merge with conflicts is waited for until it is committed", async (t) => {
  const directory = repositoryWith(t, { "a.txt": "base\n" });
  git(directory, "checkout", "-qb", "other");
  write(directory, { "a.txt": "theirs\n" });
  git(directory, "commit", "-qam", "theirs");
  git(directory, "checkout", "-q", "main");
  write(directory, { "a.txt": "ours\n" });
  git(directory, "commit", "-qam", "ours");
  const { received, held } = await watching(t, directory, ["a.txt"]);
  t.throws(() => git(directory, "merge", "-q", "other"));
  t.regex(readFileSync(join(directory, "a.txt"), "utf8"), /<<<<<<</);
  await eventually("a hold", () => held() !== undefined);
  write(directory, { "a.txt": "both\n" });
  git(directory, "commit", "-qam", "merged");
  await received.next();
  t.deepEqual(received.items, [["ours\n"], ["both\n"]]);
});

test("what git is in the middle of has a name", async (t) => {
  const directory = repositoryWith(t, { "in/a.txt": "" });
  const now = Date.now();
  const activity = () => gitActivity(join(directory, "in"), now);
  t.is(await activity(), undefined);
  for (const [name, what] of [
    ["rebase-merge", "a rebase"],
    ["rebase-apply", "a rebase"],
    ["MERGE_HEAD", "a merge"],
    ["CHERRY_PICK_HEAD", "a cherry-pick"],
    ["REVERT_HEAD", "a revert"],
  ] as const) {
    write(directory, { [`.git/${name}`]: "" });
    t.is(await activity(), what);
    rmSync(join(directory, ".git", name));
  }
  write(directory, { ".git/index.lock": "" });
  t.is(await activity(), "a change of the work tree");
  const hourAgo = now / 1000 - 3600;
  utimesSync(join(directory, ".git/index.lock"), hourAgo, hourAgo);
  t.is(await activity(), undefined);
});

test("a linked work tree and a directory outside of git are looked at as well", async (t) => {
  const directory = repositoryWith(t, { "a.txt": "" });
  const linked = join(directoryWith(t), "linked");
  git(directory, "worktree", "add", "-q", linked);
  t.is(await gitActivity(linked, Date.now()), undefined);
  const own = output("git", ["-C", linked, "rev-parse", "--git-dir"]);
  writeFileSync(join(own.trim(), "MERGE_HEAD"), "");
  t.is(await gitActivity(linked, Date.now()), "a merge");
  t.is(await gitActivity(directoryWith(t), Date.now()), undefined);
});
