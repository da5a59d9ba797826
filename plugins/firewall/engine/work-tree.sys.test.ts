/** Which directories a work tree is made of, as git itself lays them out. */
import { lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { output } from "../../../tests/support/child.js";
import { folder } from "../../../tests/support/folder.js";
import { needs, rootUser } from "../../../tests/support/needs.js";
import { type WorkTreeLimits, workTreeOf } from "./work-tree.js";

const identity = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
const limits: WorkTreeLimits = { uid: process.getuid?.() ?? 0, closed: [], undivided: [] };

function git(directory: string, ...words: string[]): void {
  output("git", [...identity, "-c", "protocol.file.allow=always", ...words], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function repository(path: string, ...words: string[]): string {
  mkdirSync(join(path, "a b/deep"), { recursive: true });
  git(path, "init", "-q", ...words);
  git(path, "commit", "-q", "--allow-empty", "-m", "start");
  return path;
}

const submodule = "li bs/s;u #b";

/** `super` with a submodule, a linked worktree, and a worktree of the submodule. */
function checkouts(base: string): string {
  const origin = repository(join(base, "origin"));
  const top = repository(join(base, "super"));
  git(top, "submodule", "add", "-q", origin, submodule);
  git(top, "commit", "-q", "-m", "submodule");
  git(top, "worktree", "add", "-q", "-b", "tree", "../tr ee");
  git(join(top, submodule), "worktree", "add", "-q", "-b", "tree", "../../../sub tree");
  git(join(base, "tr ee"), "submodule", "update", "--init", "-q");
  return top;
}

test("a work tree is open with git's directory, wherever git keeps that", (t) => {
  const base = folder(t);
  const top = checkouts(base);
  const common = join(top, ".git");
  const inner = join(common, "modules", submodule);
  const cases: ReadonlyArray<readonly [top: string, ...data: string[]]> = [
    [top],
    [join(base, "tr ee"), common],
    [join(top, submodule), inner],
    [join(base, "sub tree"), inner],
    [join(base, "tr ee", submodule), join(common, "worktrees/tr-ee/modules", submodule)],
  ];
  for (const [path, ...data] of cases) {
    const below = join(path, "x y/z");
    mkdirSync(below, { recursive: true });
    for (const start of [path, `${path}/`, below])
      t.deepEqual(workTreeOf(start, limits), [path, ...data], start);
  }
});

test("a submodule whose settings git keeps for the tree alone is a submodule", (t) => {
  const top = checkouts(folder(t));
  const path = join(top, submodule);
  git(path, "sparse-checkout", "set", "x");
  t.deepEqual(workTreeOf(path, limits), [path, join(top, ".git/modules", submodule)]);
});

test("a worktree in its bare repository is open with all of that", (t) => {
  const bare = join(folder(t), "bare");
  const origin = repository(join(folder(t), "origin"));
  git(origin, "clone", "-q", "--bare", ".", bare);
  git(bare, "worktree", "add", "-q", "-b", "tree", "tree");
  t.deepEqual(workTreeOf(join(bare, "tree"), limits), [bare]);
});

test("a directory in no work tree is open alone", (t) => {
  const base = folder(t);
  const top = repository(join(base, "top"));
  mkdirSync(join(base, "plain"));
  symlinkSync(join(top, "a b"), join(base, "link"));
  git(base, "init", "-q", "--bare", join(top, "bare"));
  const alone = [
    "plain",
    "link",
    "link/deep",
    "missing",
    "top/.git",
    "top/.git/hooks",
    "top/bare",
    "top/bare/refs",
  ];
  for (const start of [...alone.map((name) => join(base, name)), "/", "/tmp"])
    t.deepEqual(workTreeOf(start, limits), [start]);
});

test("git looks beyond a `.git` that is no repository, and so does the search", (t) => {
  const top = repository(join(folder(t), "top"));
  const below = join(top, "a b/deep");
  mkdirSync(join(below, ".git"));
  t.deepEqual(workTreeOf(below, limits), [top]);
  output("mkfifo", [join(top, "a b/.git")]);
  t.deepEqual(workTreeOf(below, limits), [top]);
});

test("a pointer opens nothing that does not name the tree", (t) => {
  const base = folder(t);
  const top = checkouts(base);
  const other = repository(join(base, "other"), "--separate-git-dir", join(base, "separate"));
  t.deepEqual(workTreeOf(other, limits), [other]);
  const plain = join(base, "plain");
  mkdirSync(join(plain, "below"), { recursive: true });
  const pointers = [
    ...[join(top, ".git"), join(top, ".git/worktrees/tr-ee"), join(top, ".git/modules", submodule)],
    ...[join(base, "separate"), base, "..", ".", "missing", "", "x".repeat(9000), "x\ngitdir: y"],
  ];
  for (const text of [...pointers.map((target) => `gitdir: ${target}\n`), "", "nonsense"]) {
    writeFileSync(join(plain, ".git"), text);
    for (const start of [plain, join(plain, "below")])
      t.deepEqual(workTreeOf(start, limits), [start], text.slice(0, 99));
  }
  rmSync(join(plain, ".git"));
  symlinkSync(join(top, ".git"), join(plain, ".git"));
  t.deepEqual(workTreeOf(join(plain, "below"), limits), [join(plain, "below")]);
});

test("data that a command can have made in the tree opens nothing outside", (t) => {
  const base = folder(t);
  const top = join(repository(join(base, "top")), ".git/worktrees");
  const [pointer, planted] = [join(top, ".git"), join(top, "planted")];
  mkdirSync(planted, { recursive: true });
  writeFileSync(pointer, `gitdir: ${planted}\n`);
  for (const [name, text] of [
    ["HEAD", "ref: refs/heads/a"],
    ["commondir", "../.."],
    ["gitdir", pointer],
  ] as const)
    writeFileSync(join(planted, name), `${text}\n`);
  t.deepEqual(workTreeOf(top, limits), [top]);
});

test("an entry that a command made elsewhere opens no other directory", (t) => {
  const base = folder(t);
  const [plain, entry] = [join(base, "plain"), join(base, "planted/worktrees/x")];
  for (const path of [plain, entry]) mkdirSync(path, { recursive: true });
  writeFileSync(join(plain, ".git"), `gitdir: ${entry}\n`);
  const common = join(repository(join(base, "top")), ".git");
  for (const commondir of [common, "../.."]) {
    const files = { HEAD: "ref: refs/heads/a", gitdir: join(plain, ".git"), commondir };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(entry, name), `${text}\n`);
    t.deepEqual(workTreeOf(plain, limits), [plain], commondir);
  }
});

test("pipes in the place of git's files do not hold up the start", (t) => {
  const base = folder(t);
  const top = checkouts(base);
  const files = [
    [join(base, "tr ee"), join(top, ".git/worktrees/tr-ee/gitdir")],
    [join(base, "sub tree"), join(top, ".git/modules", submodule, "worktrees/sub-tree/commondir")],
    [join(top, submodule), join(top, ".git/modules", submodule, "config")],
  ] as const;
  for (const [start, path] of files) {
    rmSync(path);
    output("mkfifo", [path]);
    t.deepEqual(workTreeOf(start, limits), [start]);
  }
});

test("another user's repository opens nothing, nor does anything beyond the limits", (t) => {
  const base = folder(t);
  const top = checkouts(base);
  const common = join(top, ".git");
  const [below, tree] = [join(top, "a b"), join(base, "tr ee")];
  const is = (start: string, change: Partial<WorkTreeLimits>, ...open: string[]) =>
    t.deepEqual(workTreeOf(start, { ...limits, ...change }), open);
  for (const start of [below, tree]) {
    is(start, { uid: limits.uid + 1 }, start);
    is(start, { closed: [base] }, start);
    is(start, { closed: [common] }, start);
    is(start, { undivided: [join(common, "hooks")] }, start);
    is(start, { undivided: [join(base, "elsewhere")] }, ...workTreeOf(start, limits));
  }
  is(below, { undivided: [join(top, "home")] }, below);
  is(tree, { undivided: [join(top, "home")] }, tree, common);
  is(tree, { closed: [tree], undivided: [tree] }, tree, common);
});

needs(test, rootUser)("every part of the tree must be the user's own", (t) => {
  const base = folder(t);
  const top = checkouts(base);
  const [tree, sub] = [join(base, "tr ee"), join(top, submodule)];
  const common = join(top, ".git");
  const parts = [
    [join(top, "a b"), top, common],
    [tree, tree, join(tree, ".git"), common, join(common, "worktrees/tr-ee")],
    [sub, sub, join(sub, ".git"), join(common, "modules", submodule)],
  ] as const;
  for (const [start, ...paths] of parts)
    for (const path of paths) {
      const open = workTreeOf(start, limits);
      lchownSync(path, limits.uid + 1, 0);
      t.deepEqual(workTreeOf(start, limits), [start], path);
      lchownSync(path, limits.uid, 0);
      t.deepEqual(workTreeOf(start, limits), open);
    }
});
