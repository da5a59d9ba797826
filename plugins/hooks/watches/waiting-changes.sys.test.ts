/** Changes that wait: for room on the disk, or for the end of the run before. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { remains } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import { withoutRoomFor } from "../testing/full-disk.js";
import { started } from "./testing/watching.js";

const block = (more: string): string =>
  `watch "x" {\n  paths = ["./src/**/*.scss"]\n  debounce = 20ms\n  stdin = changes\n  ${more}\n}\n`;
const cat = 'run = ["cat"]';

test("changes whose run cannot be recorded run once it can, together with later ones", async (t) => {
  const disk = { isFull: true };
  const files = { "src/a.scss": "a", "src/b.scss": "b" };
  const at = await started(t, block(cat), files, withoutRoomFor("watch.x", disk));
  const failures = () =>
    at.plugin.log.filter(
      ({ message }) => message === "A watch waits until its run can be recorded",
    );
  at.write("src/a.scss", "aa");
  await at.plugin.until(() => failures().length > 0, "the first refusal");
  at.write("src/b.scss", "bbb");
  at.write("src/c.scss", "c");
  await at.knows(3);
  disk.isFull = false;
  const [changes = []] = await at.seen(1);
  t.deepEqual(
    changes.toSorted((one, other) => one.path.localeCompare(other.path)),
    [
      { path: "src/a.scss", kind: "changed", size: 2 },
      { path: "src/b.scss", kind: "changed", size: 3 },
      { path: "src/c.scss", kind: "created", size: 1 },
    ],
  );
  t.is((await at.plugin.runs()).length, 1);
});

test("a watch that is removed while its changes wait starts nothing more, and the others go on", async (t) => {
  const disk = { isFull: true };
  const other = block(cat).replace('"x"', '"y"');
  const subject = withoutRoomFor("watch.x", disk);
  const at = await started(t, `${block(cat)}${other}`, { "src/a.scss": "a" }, subject);
  const failures = () =>
    at.plugin.log.filter(
      ({ message }) => message === "A watch waits until its run can be recorded",
    );
  at.write("src/a.scss", "aa");
  await at.plugin.until(() => failures().length > 0, "the first refusal");
  t.true((await at.plugin.reload(other)).committed);
  disk.isFull = false;
  await at.ended(1);
  at.write("src/a.scss", "aaa");
  await at.ended(2);
  const subjects = async () => (await at.plugin.runs()).map(({ subject }) => subject).join();
  await remains(
    "no run of the removed one",
    async () => (await subjects()) === "watch.y,watch.y",
    1500,
  );
  t.is(await subjects(), "watch.y,watch.y");
});

test("a watch that is removed while its command runs and a change waits leaves the plugin answering", async (t) => {
  const wait = 'run = ["sh", "-c", "until [ -e $0 ]; do sleep 0.02; done", "';
  const directory = folder(t);
  const at = await started(t, block(`${wait}${join(directory, "go")}"]`));
  at.write("src/a.scss", "aa");
  await at.plugin.until(async () => (await at.plugin.runs()).length === 1, "the run");
  at.write("src/b.scss", "b");
  await at.knows(2);
  t.true((await at.plugin.reload('task "other" { run = ["true"] }\n')).committed);
  writeFileSync(join(directory, "go"), "");
  const [run] = await at.ended(1);
  t.is(run?.state, "succeeded");
  t.is((await at.plugin.control({ url: "/v1/hooks/watches" })).status, 200);
  t.is((await at.plugin.runs()).length, 1);
});
