/** Configuration that a sandboxed command changed is an event. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { runIn, startFirewall } from "../testing/fixture.js";

// Starting sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

test("a command that may write the configuration changes it: one event a change", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const { folder } = plugin;
  const file = join(folder, "more.reeve");
  const changes = () =>
    plugin.events.flatMap(({ type, data }) => (type === "sandbox.changed_file" ? [data] : []));
  writeFileSync(file, "");
  await runIn(plugin, "a", { argv: ["true"] });
  t.deepEqual(changes(), []);
  const argv = [`echo 'let a = 1' > ${file}`];
  await runIn(plugin, "a", { argv });
  t.is(readFileSync(file, "utf8"), "", "read-only");
  t.true((await plugin.reload(`sandbox "a" {\n  allow_write = ["${folder}"]\n}`)).committed);
  await runIn(plugin, "a", { argv });
  for (let again = 0; again < 2; again += 1) await runIn(plugin, "a", { argv: ["true"] });
  t.deepEqual(
    changes().map(({ file: path }) => path),
    [file],
  );
  t.is(changes()[0]?.command, "reeve sandbox run");
});

test("files of other kinds, and files that others change, are no event", async (t) => {
  const plugin = await startFirewall(t, 'sandbox "a" {}');
  const directory = join(plugin.folder, "work");
  mkdirSync(directory);
  await runIn(plugin, "a", { argv: ["echo 1 > x.txt"], cwd: directory });
  writeFileSync(join(directory, "x.reeve"), "");
  await runIn(plugin, "a", { argv: ["true"], cwd: directory });
  t.false(plugin.events.some(({ type }) => type === "sandbox.changed_file"));
});
