/** What an edit does, and what it does not touch. */
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { pacedClock } from "../services/testing/paced-clock.js";
import { daemonIn, QUICK, running, type TestDaemon } from "./testing/daemon.js";
import { directoryWith, write } from "./testing/directory.js";
import { git, repositoryWith } from "./testing/repository.js";

const sandbox = (name: string, memory: string): string =>
  `sandbox "${name}" {\n  memory = ${memory}\n}\n`;
const main = (a: string, b: string): string => QUICK + sandbox("a", a) + sandbox("b", b);

/** Runs, and there is no probation to wait for. */
const reloaded = ({ events }: TestDaemon, generation: number) =>
  events.find(({ type, data }) => type === "config.confirmed" && data.generation === generation);
const refused = ({ events }: TestDaemon, generation: number) =>
  events.find(({ type, data }) => type === "config.rejected" && data.generation === generation);

/** Ways to write a new root file. */
const ways: Readonly<Record<string, (root: string, text: string) => void>> = {
  "written in place": (root, text) => writeFileSync(root, text),
  "renamed over": (root, text) => {
    writeFileSync(`${root}.new`, text);
    renameSync(`${root}.new`, root);
  },
  "deleted and created again": (root, text) => {
    unlinkSync(root);
    writeFileSync(root, text);
  },
  "moved away as a backup, written anew": (root, text) => {
    renameSync(root, `${root}~`);
    writeFileSync(root, text);
  },
};

for (const [way, save] of Object.entries(ways)) {
  test(`a root file ${way} is one generation, and only the changed block is touched`, async (t) => {
    const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
    save(join(daemon.directory, "main.reeve"), main("1GiB", "2GiB"));
    await reloaded(daemon, 2);
    t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.b replaced", "commit 2", "release 2"]);
    t.is(daemon.reloader.current?.number, 2);
    t.is(daemon.reloader.degraded, undefined);
  });
}

test("a mounted volume whose `..data` is swapped is one generation", async (t) => {
  const directory = directoryWith(t, {
    "..one/main.reeve": `${QUICK}import "./more.reeve"\n`,
    "..one/more.reeve": sandbox("a", "1GiB"),
    "..two/main.reeve": `${QUICK}import "./more.reeve"\n${sandbox("b", "1GiB")}`,
    "..two/more.reeve": sandbox("a", "2GiB"),
  });
  symlinkSync("..one", join(directory, "..data"));
  for (const name of ["main.reeve", "more.reeve"]) {
    symlinkSync(`..data/${name}`, join(directory, name));
  }
  const daemon = await daemonIn(t, { directory, state: directoryWith(t) });
  await daemon.reloader.start();
  daemon.host.news();
  symlinkSync("..two", join(directory, "..tmp"));
  renameSync(join(directory, "..tmp"), join(directory, "..data"));
  rmSync(join(directory, "..one"), { recursive: true });
  await reloaded(daemon, 2);
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.b added, sandbox.a replaced",
    "commit 2",
    "release 2",
  ]);
});

test("a checkout that touches several files is one generation, with its commit", async (t) => {
  const directory = repositoryWith(t, {
    "main.reeve": `${QUICK}import "./teams/*.reeve"\n`,
    "teams/a.reeve": sandbox("a", "1GiB"),
    "teams/b.reeve": sandbox("b", "1GiB"),
  });
  git(directory, "checkout", "-qb", "other");
  write(directory, {
    "teams/a.reeve": sandbox("a", "2GiB"),
    "teams/c.reeve": sandbox("c", "1GiB"),
  });
  rmSync(join(directory, "teams/b.reeve"));
  git(directory, "add", "-A");
  git(directory, "commit", "-qm", "other");
  git(directory, "checkout", "-q", "main");
  const daemon = await daemonIn(t, { directory, state: directoryWith(t) });
  const { generation } = await daemon.reloader.start();
  t.deepEqual(generation.git, { commit: git(directory, "rev-parse", "HEAD"), dirty: false });
  daemon.host.news();
  git(directory, "checkout", "-q", "other");
  await reloaded(daemon, 2);
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.a replaced, sandbox.c added, sandbox.b removed",
    "commit 2",
    "release 2",
  ]);
  t.deepEqual(daemon.reloader.current?.git, {
    commit: git(directory, "rev-parse", "HEAD"),
    dirty: false,
  });
  write(directory, { "teams/c.reeve": sandbox("c", "2GiB") });
  await reloaded(daemon, 3);
  t.true(daemon.reloader.current?.git?.dirty);
});

test("rewriting an equal text makes no generation and calls no plugin", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  write(daemon.directory, { "main.reeve": main("1GiB", "1GiB") });
  await pacedClock.sleep(100);
  write(daemon.directory, { "main.reeve": main("2GiB", "1GiB") });
  await reloaded(daemon, 2);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "commit 2", "release 2"]);
  t.deepEqual(
    (await daemon.reloader.history()).map(({ number }) => number),
    [2, 1],
  );
});

test("moved text is unchanged: no generation, no plugin called, locations updated", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  const before = daemon.reloader.program;
  write(daemon.directory, {
    "main.reeve": `${QUICK}# moved\n${sandbox("b", "1024MiB")}import "./a.reeve"\n`,
    "a.reeve": sandbox("a", "1GiB"),
  });
  await daemon.events.find(({ type }) => type === "config.unchanged");
  t.deepEqual(daemon.host.news(), []);
  t.is(daemon.reloader.current?.number, 1);
  t.is(daemon.reloader.current?.state, "committed");
  t.not(daemon.reloader.program, before);
  t.is((await daemon.reloader.history()).length, 1);
  write(daemon.directory, { "a.reeve": sandbox("a", "2GiB") });
  await reloaded(daemon, 2);
});

test("a faulty edit is refused with its diagnostics, and what runs is not touched", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  const program = daemon.reloader.program;
  write(daemon.directory, { "main.reeve": main("1GiB", "nonsense") });
  const { data } = await refused(daemon, 2);
  t.deepEqual(daemon.host.news(), []);
  t.is(daemon.reloader.program, program);
  t.is(daemon.reloader.current?.number, 1);
  t.like(daemon.reloader.degraded, {
    reason: "The configuration on disk was refused: 1 error; generation 1 runs on.",
  });
  t.regex(String((data.errors as string[])[0]), /^main\.reeve:9:12: /);
  const [newest] = await daemon.reloader.history(1);
  t.like(newest, { number: 2, state: "rejected", trigger: "edit", reason: "1 error" });
  t.is(newest?.diagnostics.length, 1);
  t.is((await daemon.reloader.sources(2)).get("main.reeve")?.text, main("1GiB", "nonsense"));
  t.is(await daemon.metric("last_reload_successful"), 0);

  write(daemon.directory, { "main.reeve": main("1GiB", "1GiB") });
  await daemon.events.find(({ type }) => type === "config.unchanged");
  t.deepEqual(daemon.host.news(), []);
  t.is(daemon.reloader.degraded, undefined);
  t.is(await daemon.metric("last_reload_successful"), 1);
});

test("a root file that goes away is an error, and what runs, runs on", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  unlinkSync(join(daemon.directory, "main.reeve"));
  await refused(daemon, 2);
  t.deepEqual(daemon.host.news(), []);
  t.deepEqual(daemon.host.running, ["sandbox.a", "sandbox.b"]);
  write(daemon.directory, { "main.reeve": main("1GiB", "2GiB") });
  await reloaded(daemon, 3);
  t.deepEqual(daemon.host.news(), ["prepare 3: sandbox.b replaced", "commit 3", "release 3"]);
});

test("a refusal of one plugin commits nothing at all", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  daemon.host.refusal = "the port is taken";
  write(daemon.directory, { "main.reeve": main("2GiB", "2GiB") });
  await refused(daemon, 2);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced, sandbox.b replaced", "abort 2"]);
  t.is(daemon.reloader.current?.number, 1);
  t.like((await daemon.reloader.history())[0], {
    state: "rejected",
    reason: "the port is taken",
    summary: { replaced: 2 },
  });
});

test("edits while an attempt is under way are one attempt after it", async (t) => {
  const grace = 3_600_000;
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") }, { grace });
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  daemon.host.gate = gate;
  daemon.host.began = () => begin();
  write(daemon.directory, { "main.reeve": main("2GiB", "1GiB") });
  await began;
  for (const memory of ["3GiB", "4GiB", "5GiB"]) {
    write(daemon.directory, { "main.reeve": main(memory, "1GiB") });
    await pacedClock.sleep(100);
  }
  t.is(daemon.reloader.current?.number, 1);
  open();
  await reloaded(daemon, 3);
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.a replaced",
    "commit 2",
    "release 2",
    "prepare 3: sandbox.a replaced",
    "commit 3",
    "release 3",
  ]);
  t.is(daemon.reloader.program?.blocks.get("sandbox.a")?.values.memory, 5 * 1024 ** 3);
});

test("settings of the daemon are taken over while it runs, and touch no block", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  daemon.kit.log.debug("before");
  write(daemon.directory, {
    "main.reeve": main("1GiB", "1GiB").replace("daemon {", 'daemon {\n  log_level = "debug"'),
  });
  await reloaded(daemon, 2);
  daemon.kit.log.debug("after");
  t.is(daemon.lines.filter((line) => line.includes('"before"')).length, 0);
  t.is(daemon.lines.filter((line) => line.includes('"after"')).length, 1);
  t.deepEqual(daemon.host.news(), ["prepare 2: nothing", "commit 2", "release 2"]);
});

test("what is asked for by hand is read at once, and the edit is not read again", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  write(daemon.directory, { "main.reeve": main("1GiB", "2GiB") });
  const { generation } = await daemon.reloader.reload("request");
  t.like(generation, { number: 2, state: "committed", trigger: "request" });
  t.like((await daemon.reloader.reload("signal")).generation, { number: 2, state: "unchanged" });
  await pacedClock.sleep(150);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.b replaced", "commit 2", "release 2"]);
});

test("what is declared of a plugin is the host's business even where no block changes", async (t) => {
  const declared = (isolation: string) =>
    `${QUICK}plugin "acme" {\n  source = "npm:acme"\n  isolation = "${isolation}"\n}\n`;
  const daemon = await running(t, { "main.reeve": declared("worker") });
  write(daemon.directory, { "main.reeve": declared("process") });
  await reloaded(daemon, 2);
  t.deepEqual(daemon.host.news(), ["prepare 2: nothing", "commit 2", "release 2"]);
});

test("a daemon that ends gives up what is being prepared", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  daemon.host.gate = gate;
  daemon.host.heedsSignal = false;
  daemon.host.began = () => begin();
  write(daemon.directory, { "main.reeve": main("2GiB", "1GiB") });
  await began;
  const stopped = daemon.reloader.stop();
  open();
  await stopped;
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "abort 2"]);
});

test("a plan has no effect", async (t) => {
  const daemon = await running(t, { "main.reeve": QUICK + sandbox("a", "1GiB") });
  write(daemon.directory, { "main.reeve": main("1GiB", "2GiB") });
  const { plan, diagnostics } = await daemon.reloader.plan();
  t.deepEqual(diagnostics, []);
  t.like(plan?.summary, { unchanged: 1, added: 1 });
  t.is(daemon.reloader.current?.number, 1);
});

test("metrics say what happened", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "1GiB") });
  write(daemon.directory, { "main.reeve": main("1GiB", "2GiB") });
  await reloaded(daemon, 2);
  const of = daemon.metric;
  t.is(await of("generation"), 2);
  t.is(await of("last_reload_successful"), 1);
  t.true(((await of("last_reload_success_timestamp_seconds")) ?? 0) > 1e9);
  t.is(await of('reloads_total{result="applied"}'), 2);
  t.is(await of('blocks{action="unchanged"}'), 1);
  t.is(await of('blocks{action="replaced"}'), 1);
  t.is(await of("stale_seconds"), 0);
});
