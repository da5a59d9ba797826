import { existsSync } from "node:fs";
import test, { type ExecutionContext } from "ava";
import { c } from "../plugin-api/block.js";
import type { Isolation } from "../plugin-api/descriptor.js";
import { definePlugin } from "../plugin-api/plugin.js";
import { FakeClock } from "../services/fake-clock.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import { type TestPluginOptions, testPlugin } from "./test-plugin.js";
import { notes } from "./testing/notes.js";

const CONFIG = `
  note "a" { text = "first" }
  note "b" { text = "second"; token = secret("env:TOKEN") }
`;

async function tested(
  t: ExecutionContext,
  options: Partial<TestPluginOptions> = {},
): Promise<PluginUnderTest> {
  const plugin = await testPlugin(notes(t), {
    config: CONFIG,
    environment: { TOKEN: "hunter22" },
    ...options,
  });
  t.teardown(() => plugin.stop());
  return plugin;
}

const isolations: readonly Isolation[] = ["inline", "worker", "process"];

for (const isolation of isolations) {
  test(`a plugin serves, shows itself and is edited: ${isolation}`, async (t) => {
    const plugin = await tested(t, { isolation });
    t.is(plugin.status.isolation, isolation);
    const { status, headers, ...answer } = await plugin.inject({ url: "/notes/b" });
    t.is(status, 200);
    t.regex(String(headers["content-type"]), /json/);
    t.deepEqual(answer.json(), { text: "second", trusted: true });
    t.deepEqual((await plugin.control({ url: "/v1/notes/visits" })).json(), { b: 1 });
    t.is((await plugin.control({ url: "/v1/others/visits" })).status, 404);
    t.regex(await plugin.metrics(), /reeve_notes_visits_total 1/);
    t.deepEqual(await plugin.health(), { state: "healthy" });
    t.is((await plugin.panels())[0]?.title, "Notes");

    const edit = await plugin.reload(CONFIG.replace("first", "changed"));
    t.true(edit.committed);
    t.deepEqual(
      edit.plan?.changes.map(({ key, action }) => [key, action]),
      [
        ["note.a", "replaced"],
        ["note.b", "unchanged"],
      ],
    );
    t.deepEqual((await plugin.inject({ url: "/notes/a" })).json(), {
      text: "changed",
      trusted: false,
    });
  });

  test(`a plugin that crashed runs again with its configuration: ${isolation}`, async (t) => {
    const plugin = await tested(t, { isolation });
    await plugin.crash();
    t.is(plugin.status.restarts, 1);
    t.is((await plugin.inject({ url: "/notes/a" })).status, 200);
    await plugin.restart();
    t.is((await plugin.inject({ url: "/notes/a" })).status, 200);
    t.true(plugin.events.some(({ type }) => type === "plugin.failed"));
  });
}

test("a refused configuration changes nothing and tells why, with carets", async (t) => {
  const plugin = await tested(t);
  const invalid = await plugin.reload(CONFIG.replace("first", "forbidden"));
  t.false(invalid.committed);
  t.regex(invalid.text, /error\[notes\.forbidden\]: this is not to be said/);
  t.regex(invalid.text, /note "a" \{ text = "forbidden" \}\n.*\^{11}/);
  const wrong = await plugin.reload('note "a" { txet = "x" }');
  t.false(wrong.committed);
  t.is(wrong.plan, undefined);
  t.regex(wrong.text, /txet/);
  t.deepEqual((await plugin.inject({ url: "/notes/a" })).json(), { text: "first", trusted: false });
});

test("the first configuration must be accepted", async (t) => {
  const error = await t.throwsAsync(tested(t, { config: 'note "a" { text = 1 }' }));
  t.regex(String(error?.message), /note "a" \{ text = 1 \}\n.*\^/);
  await t.throwsAsync(tested(t, { environment: {} }), { message: /TOKEN/ });
});

test("a prepared configuration waits, and may be thrown away", async (t) => {
  const plugin = await tested(t);
  const { outcome, abort } = await plugin.prepare(CONFIG.replace("first", "changed"));
  t.true(outcome.committed);
  await abort?.();
  t.like((await plugin.inject({ url: "/notes/a" })).json(), { text: "first" });
});

test("the kinds and functions of a plugin can be written under a namespace", async (t) => {
  const plugin = await tested(t, {
    namespace: "paper",
    config: 'paper.note "a" { text = paper.shout("hello") }',
  });
  t.like((await plugin.inject({ url: "/notes/a" })).json(), { text: "HELLO" });
});

test("secrets are not in the log", async (t) => {
  const plugin = await tested(t);
  t.true(plugin.log.some(({ message }) => message === "ready"));
  t.false(JSON.stringify(plugin.log).includes("hunter22"));
});

test("a request says where it goes when that is not clear", async (t) => {
  const plugin = await tested(t);
  await t.throwsAsync(plugin.inject({ url: "/elsewhere" }), { code: "no_single_listener" });
});

test("nothing is left after the stop", async (t) => {
  const plugin = await testPlugin(notes(t), { config: 'note "a" { text = "x" }' });
  t.true(existsSync(plugin.folder));
  await plugin.inject({ url: "/notes/work", method: "POST" });
  await plugin.stop();
  t.false(existsSync(plugin.folder));
  t.deepEqual(plugin.listeners, []);
});

const ticking = definePlugin({
  id: "ticking",
  title: "Ticking",
  api: 1,
  blocks: { tick: c.block({ attrs: { every: c.duration() } }) },
  isolation: { default: "inline", supports: ["inline"] },
  setup: ({ clock, signal, events, jobs }) => ({
    async prepare({ blocks }) {
      const every = blocks.tick[0]?.values.every ?? 0;
      const queue = await jobs.queue<string>("later", {}, async ({ payload }) => {
        events.emit("ticking.worked", { payload, at: clock.now() });
      });
      const tick = async (): Promise<void> => {
        for (;;) {
          await clock.sleep(every, signal);
          events.emit("ticking.ticked", { at: clock.now() });
        }
      };
      return {
        commit: () => {
          tick().catch(() => undefined);
          void queue.add("tomorrow", { runAt: clock.now() + 86_400_000 });
        },
      };
    },
  }),
});

test("time passes when the test says so", async (t) => {
  const clock = new FakeClock(1_000);
  const plugin = await testPlugin(ticking, { config: "tick { every = 10s }", clock });
  t.teardown(() => plugin.stop());
  const ticks = () =>
    plugin.events.filter(({ type }) => type === "ticking.ticked").map(({ data }) => data.at);
  t.deepEqual(ticks(), []);
  await clock.advance(35_000);
  t.deepEqual(ticks(), [11_000, 21_000, 31_000]);
  t.is(clock.now(), 36_000);
  await clock.advance(86_400_000);
  await plugin.until(
    () => plugin.events.some(({ type }) => type === "ticking.worked"),
    "the job of tomorrow",
  );
  t.pass();
});

test("with a fake clock, too, a plugin that crashed runs again", async (t) => {
  const clock = new FakeClock();
  const plugin = await testPlugin(ticking, { config: "tick { every = 1h }", clock });
  t.teardown(() => plugin.stop());
  await plugin.crash();
  t.like(plugin.status, { state: "running", restarts: 1 });
});

test("a plugin that is declared in the configuration is there, too", async (t) => {
  const declared = `plugin "others" { source = "./others.mjs" }\nothers.other { }`;
  const plugin = await tested(t, {
    config: `${CONFIG}\n${declared}`,
    files: {
      "others.mjs": `
        import { c, definePlugin } from "reeve/plugin";
        export default definePlugin({
          id: "others", title: "Others", api: 1, blocks: { other: c.block({}) },
          setup: (ctx) => ({ prepare: () => ({ commit: () => ctx.events.emit("others.began") }) }),
        });`,
    },
  });
  await plugin.until(
    () => plugin.events.some(({ type }) => type === "others.began"),
    "the other plugin to begin",
  );
  t.pass();
});

test("a fake clock is for plugins that run inline", async (t) => {
  await t.throwsAsync(tested(t, { clock: new FakeClock(), isolation: "worker" }), {
    code: "clock_not_shared",
  });
});

test("a plugin is not run where it says it cannot", async (t) => {
  await t.throwsAsync(testPlugin(ticking, { config: "", isolation: "process" }), {
    code: "isolation_unsupported",
    message: /"process", only: inline/,
  });
});

test("what is no plugin is refused in one sentence", async (t) => {
  await t.throwsAsync(testPlugin({} as never, { config: "" }), { message: /no `id`/ });
});
