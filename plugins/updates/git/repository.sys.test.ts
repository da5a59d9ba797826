/** What is read of a repository through one process is what git's own commands say. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { output } from "../../../tests/support/child.js";
import { Repository } from "./repository.js";

function world(t: ExecutionContext) {
  const directory = mkdtempSync(join(tmpdir(), "reeve-repository-"));
  const repository = new Repository(directory);
  t.teardown(() => {
    repository.close();
    rmSync(directory, { recursive: true, force: true });
  });
  let date = "2026-01-01T00:00:00Z";
  const git = (...args: string[]): string =>
    output("git", ["-C", directory, "-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
  let day = 10;
  const commit = (message: string): string => {
    day += 1;
    date = `2026-01-${day}T00:00:00Z`;
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD").trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  return { directory, repository, git, commit };
}

test("the tree of a commit is that of ls-tree: folders, modes, links, names of any kind", async (t) => {
  const { directory, repository, git, commit } = world(t);
  mkdirSync(join(directory, "a/b/c"), { recursive: true });
  for (const path of ["a/b/c/deep", "a.txt", "a/z", "ünï cödé", "with\nline"])
    writeFileSync(join(directory, path), path);
  writeFileSync(join(directory, "run"), "#!/bin/sh", { mode: 0o755 });
  symlinkSync("a.txt", join(directory, "link"));
  const sha = commit("begin");
  git("update-index", "--add", "--cacheinfo", `160000,${sha},module`);
  const second = commit("module");
  const theirs = git("ls-tree", "-r", "-z", "--full-tree", second)
    .split("\0")
    .flatMap((line) => {
      const [, mode, oid, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
      return path ? [{ path, mode, sha: oid }] : [];
    });
  t.true(theirs.length >= 7);
  t.deepEqual(await repository.tree(second), theirs as never);
});

test("a ref resolves to its current commit: moved, packed, tagged, deleted", async (t) => {
  const { repository, git, commit } = world(t);
  const first = commit("one");
  t.is(await repository.resolve("refs/heads/main"), first);
  const second = commit("two");
  t.is(await repository.resolve("refs/heads/main"), second);
  git("pack-refs", "--all");
  git("tag", "--annotate", "--message", "v", "v1", first);
  t.is(await repository.resolve("refs/heads/main"), second);
  t.is(await repository.resolve("refs/tags/v1"), first);
  git("update-ref", "refs/heads/other", first);
  t.is(await repository.resolve("refs/heads/other"), first);
  git("update-ref", "-d", "refs/heads/other");
  t.is(await repository.resolve("refs/heads/other"), undefined);
});

test("subjects are those of the log, newest first, merged branches included", async (t) => {
  const { repository, git, commit } = world(t);
  commit("feat: one\nstill the subject\n\nbody");
  git("checkout", "--quiet", "-b", "side");
  commit("fix: on the side");
  git("checkout", "--quiet", "main");
  commit("chore: meanwhile");
  git("merge", "--quiet", "--no-ff", "--no-commit", "side");
  commit("merge: side");
  const all = git("log", "--format=%s", "main").trim().split("\n");
  t.is(all.length, 4);
  t.deepEqual(await repository.subjects("main", 20), all);
  t.deepEqual(await repository.subjects("main", 2), all.slice(0, 2));
});
