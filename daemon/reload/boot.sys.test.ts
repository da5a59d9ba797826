/** How a daemon starts: from the disk, from the last good configuration, or not at all. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { FakeClock } from "../services/fake-clock.js";
import { InvalidConfiguration } from "./invalid.js";
import { daemonIn, QUICK, running, testDirectory } from "./testing/daemon.js";
import { directoryWith, write } from "./testing/directory.js";

const good = `${QUICK}let size = file("size.txt")
import "./parts/*.reeve"
sandbox "a" { env = { SIZE = let.size, TOKEN = secret("env:REEVE_TEST_TOKEN") } }
`;
const files = {
  "main.reeve": good,
  "size.txt": "large",
  "parts/b.reeve": 'sandbox "b" {}\n',
};

test("the first start runs what is on disk", async (t) => {
  const { outcome, reloader, host } = await running(t, files);
  t.like(outcome.generation, { number: 1, state: "committed", trigger: "boot", reason: undefined });
  t.is(outcome.refused, undefined);
  t.is(reloader.degraded, undefined);
  t.deepEqual(host.running, ["sandbox.a", "sandbox.b"]);
});

test("without an earlier configuration an invalid one is refused with its diagnostics", async (t) => {
  const daemon = await daemonIn(t, testDirectory(t, { "main.reeve": "nonsense {}\n" }));
  const error = await t.throwsAsync(daemon.reloader.start(), { instanceOf: InvalidConfiguration });
  t.is(error?.message, "The configuration cannot run: 1 error.");
  t.is(error?.diagnostics.length, 1);
  t.is(error?.sources.get("main.reeve")?.text, "nonsense {}\n");
  t.deepEqual(daemon.host.news(), []);
  t.is(daemon.reloader.current, undefined);
  await t.throwsAsync(daemon.reloader.reload("request"));
});

test("a missing root file at the first start is an error, never an empty configuration", async (t) => {
  const daemon = await daemonIn(t, testDirectory(t, {}));
  await t.throwsAsync(daemon.reloader.start(), { instanceOf: InvalidConfiguration });
  t.deepEqual(daemon.host.news(), []);
});

test("what a plugin refuses at the first start is refused with its reason", async (t) => {
  const daemon = await daemonIn(t, testDirectory(t, files));
  daemon.host.refusal = "the port is taken";
  await t.throwsAsync(daemon.reloader.start(), {
    message: "The configuration cannot run: the port is taken.",
  });
  t.deepEqual(daemon.host.running, []);
});

for (const [what, broken] of Object.entries({
  "the root file is invalid": { "main.reeve": "nonsense {}\n" },
  "an imported file is invalid": { "parts/b.reeve": "sandbox {\n" },
  "a file that is read is another one": { "main.reeve": "sandbox {\n", "size.txt": "small" },
})) {
  test(`the last good configuration runs when ${what}, and an edit is followed`, async (t) => {
    const directory = testDirectory(t, files);
    const before = await daemonIn(t, directory);
    await before.reloader.start();
    await before.stop();

    write(directory.directory, broken);
    const after = await daemonIn(t, directory);
    const outcome = await after.reloader.start();
    t.like(outcome.generation, { number: 3, state: "committed", trigger: "boot" });
    t.like(outcome.refused?.generation, { number: 2, state: "rejected" });
    t.deepEqual(after.host.running, ["sandbox.a", "sandbox.b"]);
    t.true(after.lines.some((line) => line.includes("Generation 3 runs, not what is on disk")));
    t.regex(
      after.reloader.degraded?.reason ?? "",
      /^The configuration on disk was refused: \d errors?; the last good one, of generation 1, runs instead\.$/,
    );
    t.like(after.reloader.program?.blocks.get("sandbox.a")?.values.env, { SIZE: "large" });
    t.true(((await after.metric("stale_seconds")) ?? 0) > 0);

    write(directory.directory, { ...files, "parts/b.reeve": 'sandbox "b" { memory = 1GiB }\n' });
    await after.events.find(
      ({ type, data }) => type === "config.confirmed" && data.generation === 4,
    );
    t.is(after.reloader.degraded, undefined);
    t.is(await after.metric("stale_seconds"), 0);
    t.deepEqual(after.host.news().slice(-3), [
      "prepare 4: sandbox.b replaced",
      "commit 4",
      "release 4",
    ]);
  });
}

test("a configuration that plugins refuse at a start gives way to the last good one", async (t) => {
  const directory = testDirectory(t, files);
  const before = await daemonIn(t, directory);
  await before.reloader.start();
  await before.stop();
  write(directory.directory, { "parts/b.reeve": 'sandbox "b" { memory = 1GiB }\n' });
  const after = await daemonIn(t, directory);
  after.host.refusal = "no memory";
  after.host.began = (generation) => {
    if (generation === 3) after.host.refusal = undefined;
  };
  const { generation, refused } = await after.reloader.start();
  t.is(refused?.generation.reason, "no memory");
  t.is(generation.number, 3);
});

test("a last good configuration that plugins refuse as well leaves nothing to run", async (t) => {
  const directory = testDirectory(t, files);
  const before = await daemonIn(t, directory);
  await before.reloader.start();
  await before.stop();
  write(directory.directory, { "main.reeve": "nonsense {}\n" });
  const after = await daemonIn(t, directory);
  after.host.refusal = "no memory";
  await t.throwsAsync(after.reloader.start(), {
    message: "The configuration cannot run: 1 error.",
  });
  t.deepEqual(after.host.running, []);
});

test("snapshots are readable by the owner only and contain no secret", async (t) => {
  process.env.REEVE_TEST_TOKEN = "hunter2-hunter2";
  t.teardown(() => delete process.env.REEVE_TEST_TOKEN);
  const { state } = await running(t, files);
  const directory = join(state, "generations");
  t.is(statSync(directory).mode & 0o777, 0o700);
  t.deepEqual(readdirSync(directory).sort(), ["1.json", "last-good.json"]);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    t.is(statSync(path).mode & 0o777, 0o600);
    const text = readFileSync(path, "utf8");
    t.true(text.includes("env:REEVE_TEST_TOKEN"));
    t.false(text.includes("hunter2"));
  }
});

test("a kept configuration that cannot be understood, or of another root file, is not used", async (t) => {
  const directory = testDirectory(t, files);
  const before = await daemonIn(t, directory);
  await before.reloader.start();
  await before.stop();
  const elsewhere = directoryWith(t, { "main.reeve": "nonsense {}\n" });
  const moved = await daemonIn(t, { ...directory, directory: elsewhere });
  await t.throwsAsync(moved.reloader.start(), { instanceOf: InvalidConfiguration });
  await moved.stop();

  write(directory.directory, { "main.reeve": "nonsense {}\n" });
  writeFileSync(join(directory.state, "generations/last-good.json"), '{"generation":');
  const after = await daemonIn(t, directory);
  await t.throwsAsync(after.reloader.start(), { instanceOf: InvalidConfiguration });
  t.true(after.lines.some((line) => line.includes("A kept configuration cannot be read")));
});

test("numbers go on after a restart, and what ran before is history", async (t) => {
  const directory = testDirectory(t, files);
  for (const expected of [1, 2, 3]) {
    const daemon = await daemonIn(t, directory);
    t.is((await daemon.reloader.start()).generation.number, expected);
    await daemon.stop();
  }
  const daemon = await daemonIn(t, directory);
  await daemon.reloader.start();
  t.deepEqual(
    (await daemon.reloader.history()).map(({ number, state }) => `${number} ${state}`),
    ["4 committed", "3 superseded", "2 superseded", "1 superseded"],
  );
  t.deepEqual(
    (await daemon.reloader.history(2)).map(({ number }) => number),
    [4, 3],
  );
});

test("numbers go on even when the records are lost", async (t) => {
  const directory = testDirectory(t, files);
  const before = await daemonIn(t, directory);
  await before.reloader.start();
  await before.stop();
  for (const name of readdirSync(directory.state)) {
    if (name.startsWith("reeve.db")) rmSync(join(directory.state, name));
  }
  const after = await daemonIn(t, directory);
  t.is((await after.reloader.start()).generation.number, 2);
});

test("after `stop` no edit is followed and nothing is read", async (t) => {
  const daemon = await running(t, files);
  await daemon.reloader.stop();
  write(daemon.directory, { "main.reeve": QUICK });
  await t.throwsAsync(daemon.reloader.reload("request"), { message: "The daemon ends." });
  t.deepEqual(daemon.host.news(), []);
});

test("how long an earlier configuration runs instead is counted while nothing happens", async (t) => {
  const directory = testDirectory(t, files);
  const before = await daemonIn(t, directory);
  await before.reloader.start();
  await before.stop();

  write(directory.directory, { "main.reeve": "nonsense {}\n" });
  const clock = new FakeClock();
  const after = await daemonIn(t, directory, { clock });
  const started = after.reloader.start();
  await clock.until(started, 1);
  await started;
  const stale = async (): Promise<number> => (await after.metric("stale_seconds")) ?? 0;
  t.true((await stale()) < 5);
  await clock.advance(20_000);
  t.true((await stale()) >= 15);
});
