/** Directories that another user could replace are not used. */
import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { prepareDirectories } from "./directories.js";
import { temporaryDirectory } from "./testing/services.js";
import { replaceable, untrusted } from "./trusted-directory.js";

const asRoot = process.getuid?.() === 0 ? test : test.skip;
const OTHER = 1;

function made(t: ExecutionContext, ...names: readonly string[]): string {
  const directory = join(temporaryDirectory(t), ...names);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

test("a directory of the daemon's user is used, below a shared one and through its own links", (t) => {
  const root = made(t, "shared");
  chmodSync(root, 0o1777);
  mkdirSync(join(root, "own"));
  symlinkSync("shared/own", join(root, "..", "relative"));
  symlinkSync(join(root, "own"), join(root, "absolute"));
  symlinkSync("../shared/absolute", join(root, "both"));
  for (const name of ["own", "absolute", "both", "../relative", "own/../own/."])
    t.is(untrusted(join(root, name)), undefined, name);
});

test("a directory that every user can write to, or replace, is refused", (t) => {
  const open = made(t, "open", "state");
  chmodSync(join(open, ".."), 0o777);
  t.regex(untrusted(open) ?? "", /^every user can write to \/.*\/open$/);
  t.regex(replaceable(open) ?? "", /^every user can write to/);
  const shared = made(t, "shared");
  chmodSync(shared, 0o1777);
  t.is(untrusted(shared), "it is shared by all users");
  t.is(replaceable(shared), undefined);
});

test("a directory that another group can write to is refused; that of the daemon's user, and root's, are theirs", (t) => {
  const state = made(t, "group", "state");
  const parent = join(state, "..");
  chmodSync(parent, 0o770);
  t.is(untrusted(state), undefined);
  if (process.getuid?.() !== 0) return;
  chownSync(parent, 0, OTHER);
  t.regex(untrusted(state) ?? "", /^group 1 can write to \/.*\/group$/);
  chmodSync(parent, 0o1770);
  t.is(untrusted(state), undefined);
});

test("links in a circle end", (t) => {
  const root = made(t, "links");
  symlinkSync("b", join(root, "a"));
  symlinkSync("a", join(root, "b"));
  t.is(untrusted(join(root, "a")), "its symbolic links run in a circle");
});

asRoot("what belongs to another user is refused: directory, parent and link", (t) => {
  for (const user of [OTHER, 65_534]) {
    const own = made(t, `of-${user}`, "state");
    chownSync(own, user, user);
    t.regex(untrusted(own) ?? "", new RegExp(`/state belongs to user ${user}$`));
  }
  const own = made(t, "state");
  chownSync(own, OTHER, OTHER);
  t.regex(untrusted(own) ?? "", /^\/.*\/state belongs to user 1$/);

  const below = made(t, "home", "state");
  chownSync(join(below, ".."), OTHER, OTHER);
  t.regex(untrusted(below) ?? "", /\/home belongs to user 1$/);

  const shared = made(t, "shared");
  chmodSync(shared, 0o1777);
  const target = made(t, "target");
  symlinkSync(target, join(shared, "link"));
  lchownSync(join(shared, "link"), OTHER, OTHER);
  t.regex(untrusted(join(shared, "link")) ?? "", /\/link belongs to user 1$/);
});

test("a shared state directory is refused and keeps its mode", (t) => {
  const state = made(t, "shared");
  chmodSync(state, 0o1777);
  const roots = { state, cache: join(state, "cache"), temporary: join(state, "temporary") };
  t.throws(() => prepareDirectories(roots), {
    code: "directory_unusable",
    message: `The directory ${state} cannot be used: it is shared by all users.`,
  });
  t.is(statSync(state).mode & 0o7777, 0o1777);
});

test("directories are made for the daemon's user alone", (t) => {
  const state = join(made(t, "here"), "new");
  mkdirSync(state, { mode: 0o755 });
  const roots = { state, cache: join(state, "cache"), temporary: join(state, "temporary") };
  prepareDirectories(roots);
  for (const directory of Object.values(roots)) t.is(statSync(directory).mode & 0o7777, 0o700);
});
