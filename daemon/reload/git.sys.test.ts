/** Which commit a configuration is. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { gitState } from "./git.js";
import { directoryWith, write } from "./testing/directory.js";
import { git, repositoryWith } from "./testing/repository.js";

test("a clean work tree is its commit", async (t) => {
  const directory = repositoryWith(t, { "etc/main.reeve": "" });
  const commit = git(directory, "rev-parse", "HEAD");
  t.deepEqual(await gitState(join(directory, "etc")), { commit, dirty: false });
});

test("changed and new files make it dirty; those elsewhere in the repository do not", async (t) => {
  const directory = repositoryWith(t, { "etc/main.reeve": "", "other.txt": "" });
  write(directory, { "other.txt": "changed", "new.txt": "" });
  t.false((await gitState(join(directory, "etc")))?.dirty);
  write(directory, { "etc/new.reeve": "" });
  t.true((await gitState(join(directory, "etc")))?.dirty);
});

test("outside of git, and before a first commit, there is nothing to say", async (t) => {
  const directory = directoryWith(t);
  t.is(await gitState(directory), undefined);
  t.is(await gitState(join(directory, "not there")), undefined);
  git(directory, "init", "-q");
  t.is(await gitState(directory), undefined);
});

test("looking runs no program of the repository's choosing and takes no lock", async (t) => {
  const directory = repositoryWith(t, { "main.reeve": "" });
  const proof = join(directory, "proof");
  const program = join(directory, ".git/monitor");
  mkdirSync(join(directory, ".git"), { recursive: true });
  writeFileSync(program, `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  git(directory, "config", "core.fsmonitor", program);
  write(directory, { ".git/index.lock": "" });
  t.deepEqual(await gitState(directory), {
    commit: git(directory, "rev-parse", "HEAD"),
    dirty: false,
  });
  t.false(existsSync(proof));
});
