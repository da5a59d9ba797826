import test, { type ExecutionContext } from "ava";
import type { Panel } from "../plugin-api/panel.js";
import type { Configuration, PluginInstance, PrepareAttempt } from "../plugin-api/plugin.js";
import { startDaemon } from "./testing/daemon.js";
import { type NoteValues, recorded } from "./testing/recorded.js";

const refuse =
  (what: (attempt: PrepareAttempt, next: Configuration) => void): (() => Partial<PluginInstance>) =>
  () => ({
    prepare: (next, _previous, attempt) => {
      what(attempt, next as Configuration);
      return { commit: () => undefined };
    },
  });

test("a plugin lives from its first block to its last", async (t) => {
  const { plugin, calls } = recorded();
  const daemon = await startDaemon(t, { builtins: [plugin] });
  t.is(daemon.status("notes"), undefined);
  await daemon.apply("");
  t.like(daemon.status("notes"), { state: "discovered", blocks: 0 });
  await daemon.apply('note "a" { text = "one" }');
  t.like(daemon.status("notes"), { state: "running", blocks: 1, isolation: "inline", restarts: 0 });
  await daemon.apply('note "a" { text = "two" }\nnote "b" {}');
  await daemon.apply("");
  t.like(daemon.status("notes"), { state: "stopped", blocks: 0 });
  await daemon.apply('note "c" { text = "three" }');
  await daemon.close();
  t.deepEqual(calls, [
    "setup",
    "prepare nothing -> one (added)",
    "commit one",
    "release one",
    "prepare one -> two, (replaced,added)",
    "commit two,",
    "release two,",
    "prepare two, ->  (removed,removed)",
    "commit ",
    "release ",
    "stop removed",
    "setup",
    "prepare nothing -> three (added)",
    "commit three",
    "release three",
    "stop shutdown",
  ]);
});

test("a plugin whose blocks did not change is not asked", async (t) => {
  const notes = recorded();
  const other = recorded("other");
  const daemon = await startDaemon(t, { builtins: [notes.plugin, other.plugin] });
  await daemon.apply('note "a" {}\nother "x" {}');
  const before = [...notes.calls];
  await daemon.apply('other "x" { text = "changed" }\nnote "a" {}');
  t.deepEqual(notes.calls, before);
  t.is(other.calls.filter((call) => call.startsWith("prepare")).length, 2);
});

test("one refusal aborts everything that was prepared, and what ran runs on", async (t) => {
  const notes = recorded();
  const other = recorded(
    "other",
    refuse((attempt, { blocks }) => {
      const [block] =
        (
          blocks as unknown as Record<
            string,
            Array<{ values: NoteValues; rangeOf(name: string): never }>
          >
        ).other ?? [];
      if (block?.values.text === "bad")
        attempt.report(block.rangeOf("text"), "too bad", { code: "mood", help: "be good" });
      if (block?.values.text === "odd")
        attempt.report(block.rangeOf("text"), "a bit odd.", { severity: "warning" });
    }),
  );
  const daemon = await startDaemon(t, { builtins: [notes.plugin, other.plugin] });
  await daemon.apply('note "a" { text = "one" }');
  const text = 'note "a" { text = "two" }\nother "x" { text = "bad" }';
  const refused = await daemon.apply(text);
  t.false(refused.committed);
  t.is(refused.reason, "The plugin other refuses it: too bad.");
  t.like(refused.diagnostics, [
    {
      code: "other.mood",
      message: "too bad",
      help: "be good",
      subject: 'other "x"',
      severity: "error",
    },
  ]);
  const [{ location } = {}] = refused.diagnostics;
  t.is(text.slice(location?.start, location?.end), '"bad"');
  t.is(notes.calls.at(-1), "abort two");
  t.is(daemon.status("notes")?.state, "running");
  t.is(daemon.status("other")?.state, "stopped");
  const odd = await daemon.apply(text.replace("bad", "odd"));
  t.true(odd.committed);
  t.deepEqual(odd.complaints, ["other.refused a bit odd"]);
  t.true(notes.calls.includes("prepare one -> two (replaced)"));
});

const failing: ReadonlyArray<
  readonly [what: string, change: () => Partial<PluginInstance>, complaint: string]
> = [
  [
    "throws while it prepares",
    refuse(() => {
      throw new Error("out of paper");
    }),
    "E652 the plugin `notes` cannot prepare: out of paper",
  ],
  [
    "prepares nothing",
    () => ({ prepare: () => undefined as never }),
    "E652 the plugin `notes` cannot prepare: `prepare` gave nothing to commit",
  ],
  [
    "fails in setup",
    () => {
      throw new Error("no printer.");
    },
    "E651 the plugin `notes` does not start: no printer",
  ],
];
for (const [what, change, complaint] of failing) {
  test(`a plugin that ${what} refuses the generation, on its block`, async (t) => {
    const { plugin } = recorded("notes", change);
    const daemon = await startDaemon(t, { builtins: [plugin] });
    const { committed, complaints, diagnostics } = await daemon.apply('note "a" {}');
    t.false(committed);
    t.deepEqual(complaints, [complaint]);
    t.is(diagnostics[0]?.subject, 'note "a"');
    t.is(daemon.status("notes")?.state, "stopped");
  });
}

test("an attempt that is aborted after all had prepared leaves everything as it was", async (t) => {
  const { plugin, calls } = recorded();
  const daemon = await startDaemon(t, { builtins: [plugin] });
  await daemon.apply('note "a" { text = "one" }');
  const { prepared } = await daemon.prepare('note "a" { text = "two" }');
  await prepared?.abort();
  t.is(calls.at(-1), "abort two");
  await daemon.apply('note "a" { text = "three" }');
  t.is(calls.at(-3), "prepare one -> three (replaced)");
});

test("plugins swap in the order of their references", async (t) => {
  const order: string[] = [];
  const swapping = (id: string) =>
    recorded(id, () => ({ prepare: () => ({ commit: () => void order.push(id) }) })).plugin;
  const daemon = await startDaemon(t, { builtins: [swapping("aaa"), swapping("notes")] });
  await daemon.apply('aaa "x" { about = note.first }\nnote "first" {}');
  t.deepEqual(order, ["notes", "aaa"]);
});

async function running(t: ExecutionContext, change?: Parameters<typeof recorded>[1]) {
  const { plugin, calls } = recorded("notes", change);
  const daemon = await startDaemon(t, { builtins: [plugin] });
  await daemon.apply('note "a" { text = "one" }');
  return { daemon, calls };
}

test("a restart by hand lets a new instance take over before the old one ends", async (t) => {
  const { daemon, calls } = await running(t);
  calls.length = 0;
  await daemon.host.restart("notes");
  t.deepEqual(calls, [
    "setup",
    "prepare nothing -> one (added)",
    "commit one",
    "release one",
    "stop replaced",
  ]);
  t.is(daemon.status("notes")?.state, "running");
});

test("asking for a plugin that is not there, or not in quarantine, says so", async (t) => {
  const { daemon } = await running(t);
  await t.throwsAsync(daemon.host.restart("nobody"), { code: "no_such_plugin" });
  await t.throwsAsync(daemon.host.release("notes"), { code: "plugin_not_quarantined" });
});

test("a commit that throws is contained: the plugin is started again with what is committed", async (t) => {
  let commits = 0;
  const { daemon } = await running(t, () => ({
    prepare: () => ({
      commit: () => {
        commits += 1;
        if (commits === 1) throw new Error("swap failed");
      },
    }),
  }));
  await daemon.until("notes", "running");
  t.like(daemon.status("notes"), { restarts: 1, failure: { reason: "swap failed" } });
  t.is(commits, 2);
});

test("a host that stops gives no panels, also where they were asked for before", async (t) => {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<readonly Panel[]>();
  const { plugin } = recorded("notes", () => ({
    panels: () => {
      started.resolve();
      return gate.promise;
    },
  }));
  const daemon = await startDaemon(t, { builtins: [plugin] });
  await daemon.apply('note "a" {}');
  const before = daemon.host.panels();
  await started.promise;
  const closed = daemon.close();
  gate.resolve([]);
  await t.throwsAsync(before, { code: "shutting_down" });
  await closed;
  await t.throwsAsync(daemon.host.panels(), { code: "shutting_down" });
});
