/** While a generation is on probation the one before can come back, by itself or by hand. */
import test, { type ExecutionContext } from "ava";
import { daemonIn, running, type TestDaemon, testDirectory } from "./testing/daemon.js";
import { write } from "./testing/directory.js";

const settings = (probation: string): string =>
  `daemon {\n  settle = 20ms\n  probation = ${probation}\n}\n`;
const main = (memory: string, probation = "1h"): string =>
  `${settings(probation)}sandbox "a" {\n  memory = ${memory}\n}\nupdates "u" {\n  listen = ":1"\n}\n`;

const event = ({ events }: TestDaemon, wanted: string, generation: number) =>
  events.find(({ type, data }) => type === wanted && data.generation === generation);

/** A daemon whose second generation is on probation. */
async function onProbation(t: ExecutionContext, probation = "1h") {
  const daemon = await running(t, { "main.reeve": main("1GiB", probation) });
  write(daemon.directory, { "main.reeve": main("2GiB", probation) });
  await event(daemon, "config.reloaded", 2);
  return daemon;
}

const states = async ({ reloader }: TestDaemon): Promise<readonly string[]> =>
  (await reloader.history()).map(({ number, state }) => `${number} ${state}`);

test("a generation is on probation until its time is over; then the previous one is released", async (t) => {
  const daemon = await onProbation(t, "200ms");
  await event(daemon, "config.confirmed", 2);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "commit 2", "release 2"]);
  t.deepEqual(await states(daemon), ["2 committed", "1 superseded"]);
});

test("during probation the state is visible and nothing is released", async (t) => {
  const daemon = await onProbation(t);
  t.is(daemon.reloader.current?.state, "probation");
  t.deepEqual(await states(daemon), ["2 probation", "1 superseded"]);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "commit 2"]);
});

test("a touched plugin that fails brings the generation before back", async (t) => {
  const daemon = await onProbation(t, "3s");
  daemon.host.unhealthy.set("firewall", { state: "failed", reason: "out of memory" });
  const { data } = await event(daemon, "config.rolled_back", 2);
  t.like(data, {
    restored: 1,
    reason: "the plugin firewall is not healthy: out of memory",
  });
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.a replaced",
    "commit 2",
    "prepare 1: sandbox.a replaced",
    "commit 1",
    "release 2",
    "release 1",
  ]);
  t.is(daemon.reloader.current?.number, 1);
  t.is(daemon.reloader.program?.blocks.get("sandbox.a")?.values.memory, 1024 ** 3);
  t.deepEqual(await states(daemon), ["2 rolled_back", "1 committed"]);
  t.regex(
    daemon.reloader.degraded?.reason ?? "",
    /^Generation 2, which is on disk, was taken back/,
  );
  t.is(await daemon.metric("generation"), 1);
  t.is(await daemon.metric("last_reload_successful"), 0);
});

test("after it was taken back the same text is not tried again by itself, another edit is", async (t) => {
  const daemon = await onProbation(t, "3s");
  daemon.host.unhealthy.set("firewall", { state: "failed" });
  await event(daemon, "config.rolled_back", 2);
  daemon.host.unhealthy.clear();
  daemon.host.news();
  write(daemon.directory, { "main.reeve": main("2GiB", "3s") });
  write(daemon.directory, { "main.reeve": main("3GiB", "0s") });
  await event(daemon, "config.confirmed", 3);
  t.deepEqual(daemon.host.news(), ["prepare 3: sandbox.a replaced", "commit 3", "release 3"]);
  t.is(daemon.reloader.degraded, undefined);
});

for (const [who, plugin, state] of [
  ["a plugin that the edit did not touch", "updates", "failed"],
  ["a touched plugin that is degraded only", "firewall", "degraded"],
] as const) {
  test(`${who} takes nothing back`, async (t) => {
    const daemon = await onProbation(t, "300ms");
    daemon.host.unhealthy.set(plugin, { state, reason: "tired" });
    await event(daemon, "config.confirmed", 2);
    t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "commit 2", "release 2"]);
  });
}

test("a plugin that was unhealthy before the edit does not block a corrective edit", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "300ms") });
  daemon.host.unhealthy.set("firewall", { state: "failed", reason: "too small" });
  write(daemon.directory, { "main.reeve": main("2GiB", "300ms") });
  await event(daemon, "config.confirmed", 2);
  t.deepEqual(daemon.host.news(), ["prepare 2: sandbox.a replaced", "commit 2", "release 2"]);
});

test("an edit during probation takes over from it", async (t) => {
  const daemon = await onProbation(t);
  write(daemon.directory, { "main.reeve": main("3GiB", "1h") });
  await event(daemon, "config.reloaded", 3);
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.a replaced",
    "commit 2",
    "prepare 3: sandbox.a replaced",
    "commit 3",
    "release 2",
  ]);
  t.deepEqual(await states(daemon), ["3 probation", "2 superseded", "1 superseded"]);
});

test("a refused edit during probation leaves the way back open", async (t) => {
  const daemon = await onProbation(t, "3s");
  write(daemon.directory, { "main.reeve": "nonsense {}\n" });
  await event(daemon, "config.rejected", 3);
  t.is(daemon.reloader.current?.state, "probation");
  daemon.host.unhealthy.set("firewall", { state: "failed" });
  await event(daemon, "config.rolled_back", 2);
  t.is(daemon.reloader.current?.number, 1);
});

test("where the generation before cannot come back, the sick one runs on and it is said", async (t) => {
  const daemon = await onProbation(t, "3s");
  daemon.host.refusal = "the port is taken";
  daemon.host.unhealthy.set("firewall", { state: "failed", reason: "out of memory" });
  await event(daemon, "config.unhealthy", 2);
  t.deepEqual(daemon.host.news(), [
    "prepare 2: sandbox.a replaced",
    "commit 2",
    "prepare 1: sandbox.a replaced",
    "abort 1",
    "release 2",
  ]);
  t.is(daemon.reloader.current?.number, 2);
  t.regex(
    daemon.reloader.current?.reason ?? "",
    /out of memory, and generation 1 cannot come back: the port is taken/,
  );
});

test("a start that turns out to be sick has nothing to go back to, runs on and says so", async (t) => {
  const daemon = await daemonIn(t, testDirectory(t, { "main.reeve": main("1GiB", "3s") }));
  daemon.host.unhealthy.set("firewall", { state: "failed", reason: "out of memory" });
  await daemon.reloader.start();
  await event(daemon, "config.unhealthy", 1);
  t.deepEqual(daemon.host.news().slice(1), ["commit 1", "release 1"]);
  t.like(daemon.reloader.current, {
    state: "committed",
    reason: "the plugin firewall is not healthy: out of memory",
  });
  t.is(await daemon.metric("last_reload_successful"), 0);
});

test("an earlier generation can be put back by hand, and holds until the next edit", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "0s") });
  write(daemon.directory, { "main.reeve": main("2GiB", "0s") });
  await event(daemon, "config.confirmed", 2);
  daemon.host.news();
  const { generation } = await daemon.reloader.rollback(1);
  t.like(generation, { number: 3, trigger: "rollback", state: "committed" });
  t.deepEqual(daemon.host.news(), ["prepare 3: sandbox.a replaced", "commit 3", "release 3"]);
  t.is(daemon.reloader.program?.blocks.get("sandbox.a")?.values.memory, 1024 ** 3);
  t.regex(daemon.reloader.degraded?.reason ?? "", /^Generation 1 was put back by hand/);

  write(daemon.directory, { "main.reeve": main("4GiB", "0s") });
  await event(daemon, "config.confirmed", 4);
  t.is(daemon.reloader.degraded, undefined);
  t.is(daemon.reloader.program?.blocks.get("sandbox.a")?.values.memory, 4 * 1024 ** 3);
});

test("rolling back to the generation on disk, or to the running one, causes no drift", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "0s") });
  t.is((await daemon.reloader.rollback(1)).generation.state, "unchanged");
  t.is(daemon.reloader.degraded, undefined);
  write(daemon.directory, { "main.reeve": main("2GiB", "0s") });
  await event(daemon, "config.confirmed", 2);
  await daemon.reloader.rollback(1);
  t.truthy(daemon.reloader.degraded);
  await daemon.reloader.rollback(2);
  t.is(daemon.reloader.degraded, undefined);
  t.is(daemon.reloader.current?.number, 4);
});

test("what never ran, or is not known, cannot be put back", async (t) => {
  const daemon = await running(t, { "main.reeve": main("1GiB", "0s") });
  write(daemon.directory, { "main.reeve": "nonsense {}\n" });
  await event(daemon, "config.rejected", 2);
  for (const [number, code] of [
    [2, "generation_never_ran"],
    [77, "generation_unknown"],
  ] as const) {
    t.like(await t.throwsAsync(daemon.reloader.rollback(number)), { code });
  }
  t.deepEqual(daemon.host.news(), []);
});
