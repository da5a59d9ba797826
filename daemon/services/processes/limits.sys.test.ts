import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "ava";
import { runSync } from "../../../tests/support/child.js";
import { contextOf, kitFor, temporaryDirectory } from "../testing/services.js";

const exhaustion = fileURLToPath(new URL("../testing/fd-exhaustion.js", import.meta.url));

for (const commands of ["fastest", "plain"]) {
  test(`commands that find no room for their files say so, and the next one does (${commands})`, (t) => {
    const words = [process.execPath, exhaustion, temporaryDirectory(t), commands];
    const { stdout, code } = runSync("/bin/sh", ["-c", 'ulimit -n 120; exec "$@"', "sh", ...words]);
    t.is(code, 0);
    const lines = stdout.trim().split("\n");
    t.is(lines.length, 201);
    t.is(lines.pop(), "then exited");
    t.deepEqual([...new Set(lines.map((line) => line.trim()))].sort(), [
      "cancelled",
      "not_started The program /bin/sleep cannot be started: too many open files.",
    ]);
  });
}

test("starts at the same time without room for another thread are the work of the first", (t) => {
  const program = fileURLToPath(new URL("../testing/no-descriptors.js", import.meta.url));
  const words = ["-c", 'ulimit -n 120; exec "$@"', "sh", process.execPath, program];
  t.is(runSync("/bin/sh", words).stdout, "0 50\n");
});

test("commands run also where the daemon's directories have long names", async (t) => {
  const directory = join(temporaryDirectory(t), "long".repeat(30));
  const kit = await kitFor(t, { commands: "plain" }, directory);
  const { processes } = (await contextOf(kit)).context;
  const { stdout } = await processes.run({ argv: ["/bin/echo", "hello"] });
  t.is(Buffer.from(stdout).toString(), "hello\n");
  await kit.close();
});
