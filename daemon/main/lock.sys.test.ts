import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { child } from "../../tests/support/child.js";
import { temporaryDirectory } from "../http/testing/temporary.js";
import { lockDirectory } from "./lock.js";

test("a directory has one daemon, which is named", async (t) => {
  const directory = join(await temporaryDirectory(t), "state");
  const release = lockDirectory(directory);
  t.throws(() => lockDirectory(directory), {
    code: "already_running",
    message: `Reeve runs already: process ${process.pid} has \`${directory}\`.`,
  });
  release();
  lockDirectory(directory)();
});

test("a process that is killed leaves no lock", async (t) => {
  const directory = await temporaryDirectory(t);
  const module = JSON.stringify(new URL("./lock.js", import.meta.url).href);
  const program = `import(${module}).then(({ lockDirectory }) => { lockDirectory(${JSON.stringify(directory)}); console.log("locked"); setInterval(() => {}, 1000); });`;
  const holder = child(t, process.execPath, ["-e", program]);
  await holder.says(/locked/);
  t.throws(() => lockDirectory(directory), { message: new RegExp(`process ${holder.pid} has`) });
  await holder.end();
  lockDirectory(directory)();
});

test("what cannot be a directory is said in a sentence", async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, "file"), "");
  t.throws(() => lockDirectory(join(directory, "file")), {
    code: "state_directory",
    message: /^The state directory `.*\/file` cannot be used: /,
  });
  await mkdir(join(directory, "daemon.lock"));
  await chmod(directory, 0o700);
  t.throws(() => lockDirectory(directory), { code: "state_directory" });
});

for (const name of [
  "daemon.pid",
  "commands",
  "generations",
  "temporary",
  "cache",
  "journal.mark",
  "plugins/hooks",
]) {
  test(`a link in the state directory is refused, and its target stays as it is: ${name}`, async (t) => {
    const directory = await temporaryDirectory(t);
    const state = join(directory, "state");
    const target = join(directory, "target");
    await writeFile(target, "kept");
    await mkdir(join(state, "plugins"), { recursive: true, mode: 0o700 });
    await symlink(target, join(state, name));
    t.throws(() => lockDirectory(state), {
      code: "directory_unusable",
      message: `The directory ${state} cannot be used: ${join(state, name)} is a symbolic link.`,
    });
    t.is(await readFile(target, "utf8"), "kept");
  });
}
