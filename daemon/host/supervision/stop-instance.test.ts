/** How long a plugin may take to end is the configuration's to say, not the host's. */
import test from "ava";
import { eventually, turns } from "../../../tests/support/eventually.js";
import { FakeClock } from "../../services/fake-clock.js";
import { startDaemon } from "../testing/daemon.js";
import { recorded } from "../testing/recorded.js";

/** A plugin with a command in flight, which ends by itself when `finish` is called or else when it is cut off. */
function busy() {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const made = recorded("notes", (_context, calls) => ({
    async stop(reason, signal) {
      calls.push(`stopping ${reason}`);
      const cut = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      const how = await Promise.race([finished.then(() => "finished"), cut.then(() => "cut off")]);
      await turns();
      calls.push(how);
    },
  }));
  return { ...made, finish };
}

test("at the daemon's end work in flight has until the signal, however long that is", async (t) => {
  const clock = new FakeClock();
  const { plugin, calls, finish } = busy();
  const daemon = await startDaemon(t, { builtins: [plugin], clock });
  await daemon.apply('note "a" {}');
  const stopped = daemon.host.stop(new AbortController().signal);
  await clock.advance(600_000);
  t.is(calls.at(-1), "stopping shutdown");
  finish();
  await stopped;
  t.is(calls.at(-1), "finished");
});

test("when the signal comes the plugin is told, and has a moment to write down what was cut off", async (t) => {
  const { plugin, calls } = busy();
  const daemon = await startDaemon(t, { builtins: [plugin], clock: new FakeClock() });
  await daemon.apply('note "a" {}');
  const patience = new AbortController();
  const stopped = daemon.host.stop(patience.signal);
  await turns();
  patience.abort(new Error("The time to drain is over."));
  await stopped;
  t.is(calls.at(-1), "cut off");
  t.regex(daemon.log, /The plugin notes: It did not stop before the grace period ended\./);
});

test("a plugin that ignores its signal is ended, and named", async (t) => {
  const clock = new FakeClock();
  const { plugin } = recorded("notes", () => ({ stop: () => new Promise(() => undefined) }));
  const daemon = await startDaemon(t, { builtins: [plugin], clock });
  await daemon.apply('note "a" {}');
  const patience = new AbortController();
  const stopped = daemon.host.stop(patience.signal);
  await turns();
  patience.abort(new Error("The time to drain is over."));
  await clock.until(stopped);
  t.regex(
    daemon.log,
    /The plugin notes: It did not stop within 0\.5 s of the abort of its signal\./,
  );
});

test("an idle plugin stops without a warning when the daemon stops at once", async (t) => {
  const { plugin, calls } = recorded("notes", () => ({ stop: async () => undefined }));
  const daemon = await startDaemon(t, { builtins: [plugin], clock: new FakeClock() });
  await daemon.apply('note "a" {}');
  await daemon.host.stop(AbortSignal.abort());
  t.true(calls.length > 0);
  t.notRegex(daemon.log, /The plugin notes/);
});

test("a plugin that loses its last block has as long as `drain_timeout` says", async (t) => {
  const clock = new FakeClock();
  const { plugin, calls } = busy();
  const daemon = await startDaemon(t, { builtins: [plugin], clock });
  const settings = "daemon {\n  drain_timeout = 2m\n}\n";
  await daemon.apply(`${settings}note "a" {}`);
  const removed = daemon.apply(settings);
  await eventually("the stop", () => calls.at(-1) === "stopping removed");
  await clock.advance(119_000);
  t.is(calls.at(-1), "stopping removed");
  await clock.advance(1_000);
  await removed;
  t.is(calls.at(-1), "cut off");
  t.regex(daemon.log, /did not stop within 120 s/);
});
