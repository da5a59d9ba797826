/** Work trees that a run opens only in part: those with the user's home directory, protected paths or refused ones. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../../../tests/support/folder.js";
import { workspacesOf } from "./workspaces.js";

/** What git takes for a repository, with a directory in the work tree. */
const repository = (path: string): Record<string, string> => ({
  [`${path}/.git/HEAD`]: "ref: refs/heads/main\n",
  [`${path}/.git/objects/x`]: "",
  [`${path}/.git/refs/x`]: "",
  [`${path}/below/x`]: "",
});

test("a work tree is open as a whole unless protected or refused paths are in it or above it", (t) => {
  const base = folder(t, {
    ...repository("home"),
    ...repository("home/.config/nvim"),
    ...repository("home/.config/nvim/pack/x"),
    ...repository("home/.local"),
    ...repository("home/.ssh"),
    ...repository("home/src/app"),
    ...repository("other"),
    ...repository("programs"),
    ...repository("conf/app"),
    ...repository("app"),
  });
  symlinkSync(join(base, "home"), join(base, "link"));
  mkdirSync(join(base, "app/home"));
  const path = process.env.PATH;
  t.teardown(() => {
    process.env.PATH = path;
  });
  process.env.PATH = `${path}:${join(base, "programs")}:${join(base, "app/node_modules/.bin")}`;
  const open = (
    start: string,
    { home = "home", otherHomes = ["other"], denyRead = [] as string[], readOnly = ["conf"] } = {},
  ) => {
    const at = (name: string) => join(base, name);
    const user = { uid: process.getuid?.() ?? 0, gid: 0, switchesUser: false };
    const homes = { home: at(home), otherHomes: otherHomes.map(at) };
    const spec = { denyRead: denyRead.map(at) };
    const found = workspacesOf(at(start), { ...user, ...homes }, spec, readOnly.map(at));
    return found.map((each) => each.slice(base.length + 1)).join();
  };
  for (const alone of [
    "home",
    "home/.config/nvim",
    "home/.config/nvim/pack/x",
    "home/.local",
    "home/.ssh",
    "other",
    "programs",
    "conf/app",
  ])
    t.is(open(`${alone}/below`), `${alone}/below`);
  for (const whole of ["home/src/app", "app"]) t.is(open(`${whole}/below`), whole);
  for (const home of ["home", "link"]) t.is(open("home/below", { home }), "home/below");
  t.is(open("app/below", { home: "app/home" }), "app/below");
  t.is(open("app/below", { readOnly: ["app/conf"] }), "app/below");
  t.is(open("app/below", { denyRead: ["app/.git"] }), "app/below");
  t.is(open("app/below", { denyRead: ["app/secret"] }), "app");
});
