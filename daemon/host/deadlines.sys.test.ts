/** Nobody waits for ever for a plugin. Time is moved by hand. */
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import type { PluginInstance } from "../plugin-api/plugin.js";
import { FakeClock } from "../services/fake-clock.js";
import { startDaemon, waitFor } from "./testing/daemon.js";
import { probe } from "./testing/probed.js";
import { recorded } from "./testing/recorded.js";

/** Moves time on until the promise is there. */
async function passing<Result>(clock: FakeClock, waited: Promise<Result>): Promise<Result> {
  let done = false;
  const over = waited.finally(() => {
    done = true;
  });
  over.catch(() => undefined);
  await eventually(
    "the end of the attempt",
    async () => {
      if (!done) await clock.advance(1_000);
      return done;
    },
    { every: 10 },
  );
  return over;
}

test("a setup that does not end refuses the generation; what comes late is stopped", async (t) => {
  const clock = new FakeClock();
  const late = Promise.withResolvers<void>();
  const calls: string[] = [];
  const { plugin } = recorded();
  const slow = {
    ...plugin,
    setup: async (): Promise<PluginInstance> => {
      await late.promise;
      return { prepare: () => ({ commit: () => undefined }), stop: () => void calls.push("stop") };
    },
  };
  const daemon = await startDaemon(t, { builtins: [slow], clock });
  const { complaints } = await passing(clock, daemon.apply('note "a" {}'));
  t.deepEqual(complaints, ["E651 the plugin `notes` does not start: It did not start within 30 s"]);
  late.resolve();
  await waitFor(() => calls.length > 0, "the stop");
  t.is(daemon.status("notes")?.state, "stopped");
});

test("a prepare that does not end refuses the generation; what comes late is aborted", async (t) => {
  const clock = new FakeClock();
  const late = Promise.withResolvers<void>();
  const calls: string[] = [];
  const signals: AbortSignal[] = [];
  const { plugin } = recorded("notes", () => ({
    prepare: async (_next, _previous, { signal }) => {
      signals.push(signal);
      if (signals.length === 1) await late.promise;
      return { commit: () => void calls.push("commit"), abort: () => void calls.push("abort") };
    },
  }));
  const daemon = await startDaemon(t, { builtins: [plugin], clock });
  const { complaints } = await passing(clock, daemon.apply('note "a" {}'));
  t.deepEqual(complaints, [
    "E652 the plugin `notes` cannot prepare: It did not prepare within 10 s",
  ]);
  t.true(signals[0]?.aborted);
  late.resolve();
  await waitFor(() => calls.length > 0, "the abort");
  t.true((await daemon.apply('note "a" {}')).committed);
  t.deepEqual(calls, ["abort", "commit"]);
});

for (const isolation of ["worker", "process"] as const) {
  test.serial(
    `a prepare that hangs in a ${isolation} is ended, and what ran comes back`,
    async (t) => {
      const clock = new FakeClock();
      const probed = await probe(t, isolation, "", { clock });
      const { complaints } = await passing(clock, probed.apply('trouble = "hang"'));
      t.deepEqual(complaints, [
        "E652 the plugin `probe` cannot prepare: It did not prepare within 10 s",
      ]);
      await eventually("the plugin to run again", async () => {
        const state = probed.daemon.status("probe")?.state;
        if (state === "backoff") await clock.advance(1_000);
        return state === "running";
      });
      t.is(await probed.use("reply"), "hello");
    },
  );
}

test("a generation that is given up aborts what is being prepared", async (t) => {
  const started = Promise.withResolvers<void>();
  const { plugin } = recorded("notes", () => ({
    prepare: (_next, _previous, { signal }) =>
      new Promise((_resolve, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  }));
  const daemon = await startDaemon(t, { builtins: [plugin] });
  const controller = new AbortController();
  const preparing = daemon.prepare('note "a" {}', controller.signal);
  await started.promise;
  controller.abort(new Error("a newer edit came."));
  const { outcome } = await preparing;
  t.is(outcome.reason, "The plugin notes cannot prepare: a newer edit came.");
});
