import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../../tests/support/folder.js";
import { DaemonRegister, registerDirectory } from "./daemon-register.js";

const entry = {
  root: "/etc/reeve/main.reeve",
  files: [],
  state: "/var/lib/reeve",
  control: "/run/reeve/control.sock",
};

test("root's register is the host's, another user's is in their state", (t) => {
  const environment = { HOME: "/home/ada", XDG_STATE_HOME: "" };
  t.is(registerDirectory({ user: 0, environment }), "/run/reeve-daemons");
  t.is(registerDirectory({ user: 7, environment }), "/home/ada/.local/state/reeve/daemons");
  const chosen = { ...environment, XDG_STATE_HOME: "/state" };
  t.is(registerDirectory({ user: 7, environment: chosen }), "/state/reeve/daemons");
});

test("a daemon has one file, with its process and what it reads elsewhere", (t) => {
  const directory = join(folder(t), "daemons");
  const register = new DaemonRegister(entry.state, directory);
  t.is(register.write(entry), undefined);
  const more = ["/etc/reeve/team.reeve", "/srv/plugin", "/srv/plugin"];
  t.is(register.write({ ...entry, files: more }), undefined);
  const [name = "", ...others] = readdirSync(directory);
  t.deepEqual(others, []);
  const path = join(directory, name);
  const written = JSON.parse(readFileSync(path, "utf8"));
  t.like(written, { ...entry, format: 1, files: ["/srv/plugin"], owner: { pid: process.pid } });
  const isRoot = process.getuid?.() === 0;
  t.is(statSync(path).mode & 0o777, isRoot ? 0o644 : 0o600);
  t.is(statSync(directory).mode & 0o777, isRoot ? 0o755 : 0o700);
  register.remove();
  register.remove();
  t.deepEqual(readdirSync(directory), []);
});

test("what killed daemons left goes, what may be another's stays", (t) => {
  const directory = folder(t);
  new DaemonRegister("/one", directory).write({ ...entry, state: "/one" });
  const [running = ""] = readdirSync(directory);
  const written = JSON.parse(readFileSync(join(directory, running), "utf8"));
  const others = {
    "ended.json": { ...written, owner: { ...written.owner, born: "1" } },
    "elsewhere.json": { ...written, owner: { ...written.owner, born: "1", namespace: "pid:[1]" } },
    "machine.json": { ...written, owner: { ...written.owner, boot: "other", machine: "other" } },
    "note.txt": {},
  };
  for (const [name, content] of Object.entries(others))
    writeFileSync(join(directory, name), JSON.stringify(content));
  writeFileSync(join(directory, "broken.json"), "{");
  new DaemonRegister("/two", directory).write({ ...entry, state: "/two" });
  t.true(existsSync(join(directory, running)));
  const left = readdirSync(directory).filter((name) => !/^[0-9a-f]{16}\.json$/.test(name));
  t.deepEqual(left.sort(), ["broken.json", "elsewhere.json", "machine.json", "note.txt"]);
});

test("a directory that others can change is not used", (t) => {
  const directory = folder(t);
  chmodSync(directory, 0o777);
  const reason = new DaemonRegister("/one", directory).write(entry);
  t.regex(reason ?? "", /^every user can write to /);
  t.deepEqual(readdirSync(directory), []);
});

test("a directory that cannot be made is said in a sentence", (t) => {
  const directory = folder(t, { file: "" });
  t.regex(new DaemonRegister("/one", join(directory, "file/x")).write(entry) ?? "", /ENOTDIR/);
});
