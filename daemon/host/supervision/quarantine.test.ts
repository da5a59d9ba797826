/** Plugins that fail again and again, or take the daemon with them. Time is moved by hand. */
import test, { type ExecutionContext } from "ava";
import { c } from "../../plugin-api/block.js";
import { definePlugin, type PluginDefinition } from "../../plugin-api/plugin.js";
import { FakeClock } from "../../services/fake-clock.js";
import { startDaemon, type TestDaemon, waitFor } from "../testing/daemon.js";

/** Starts, and fails `failures` times; healthy afterwards. */
function weak(failures: number): { plugin: PluginDefinition; setups: () => number } {
  let setups = 0;
  const plugin = definePlugin({
    id: "weak",
    title: "Weak",
    api: 1,
    isolation: { default: "inline", supports: ["inline"] },
    blocks: { weak: c.block({ label: c.name(), attrs: { text: c.string().default('""') } }) },
    setup: () => {
      setups += 1;
      if (setups > 1 && setups <= failures) throw new Error(`failure ${setups}`);
      const commit = () => {
        if (setups <= failures) throw new Error(`failure ${setups}`);
      };
      return { prepare: () => ({ commit }) };
    },
  });
  return { plugin: plugin as unknown as PluginDefinition, setups: () => setups };
}

async function failing(t: ExecutionContext, failures: number) {
  const clock = new FakeClock();
  const { plugin, setups } = weak(failures);
  const daemon = await startDaemon(t, { builtins: [plugin], clock });
  await daemon.apply('weak "a" {}');
  return { clock, daemon, plugin, setups };
}

async function untilRunning(daemon: TestDaemon, restarts: number): Promise<void> {
  await waitFor(() => {
    const status = daemon.status("weak");
    return (
      status?.restarts === restarts && status.state !== "starting" && status.state !== "preparing"
    );
  }, `restart ${restarts}`);
}

test("a failed plugin is started again after its wait, not before", async (t) => {
  const { clock, daemon, setups } = await failing(t, 1);
  const status = daemon.status("weak");
  t.like(status, { state: "backoff", failure: { reason: "failure 1" }, restarts: 0 });
  const wait = (status?.retryAt ?? 0) - clock.now();
  t.true(wait >= 375 && wait <= 625);
  await clock.advance(wait - 1);
  t.is(setups(), 1);
  await clock.advance(1);
  await untilRunning(daemon, 1);
  t.like(daemon.status("weak"), { state: "running", blocks: 1, health: { state: "healthy" } });
  t.is(daemon.status("weak")?.retryAt, undefined);
});

async function exhaust(clock: FakeClock, daemon: TestDaemon): Promise<void> {
  for (let restart = 1; restart <= 4; restart += 1) {
    await waitFor(() => daemon.status("weak")?.state === "backoff", "the wait");
    clock.pass(10_000);
    await untilRunning(daemon, restart);
  }
  await waitFor(() => daemon.status("weak")?.state === "quarantined", "the quarantine");
}

test("five failures put a plugin into quarantine until it is released", async (t) => {
  const { clock, daemon, setups } = await failing(t, 5);
  await exhaust(clock, daemon);
  t.like(daemon.status("weak"), { state: "quarantined", failure: { reason: "failure 5" } });
  await clock.advance(3_600_000);
  t.is(setups(), 5);
  const edit = await daemon.apply('weak "a" { text = "new" }');
  t.true(edit.committed);
  t.deepEqual(edit.complaints, [
    "W651 the plugin `weak` is in quarantine, so this does not take effect",
  ]);
  t.is(setups(), 5);
  await t.throwsAsync(daemon.host.restart("weak"), { code: "plugin_quarantined" });
  await daemon.host.release("weak");
  t.like(daemon.status("weak"), { state: "running", blocks: 1 });
  t.is(setups(), 6);
});

test("a quarantine outlives the daemon", async (t) => {
  const { clock, daemon, plugin, setups } = await failing(t, 5);
  await exhaust(clock, daemon);
  await daemon.close();
  const next = await startDaemon(t, { builtins: [plugin], folder: daemon.folder });
  const boot = await next.apply('weak "a" {}');
  t.true(boot.committed);
  t.like(next.status("weak"), { state: "quarantined", failure: { reason: "failure 5" } });
  t.is(setups(), 5);
  await next.host.release("weak");
  t.is(next.status("weak")?.state, "running");
});

test("an edit of its blocks tries a waiting plugin at once", async (t) => {
  const { clock, daemon, setups } = await failing(t, 1);
  t.is(daemon.status("weak")?.state, "backoff");
  await daemon.apply('weak "a" { text = "new" }');
  t.is(daemon.status("weak")?.state, "running");
  await clock.advance(60_000);
  t.is(setups(), 2);
});

test("a plugin without blocks is not started again", async (t) => {
  const { clock, daemon, setups } = await failing(t, 1);
  await daemon.apply("");
  t.is(daemon.status("weak")?.state, "stopped");
  const before = setups();
  await clock.advance(60_000);
  t.is(setups(), before);
});
