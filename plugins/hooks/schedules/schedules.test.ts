/** `schedule` blocks, with a clock that the test sets. */
import test, { type ExecutionContext } from "ava";
import { FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";

const MODULE = new URL("../plugin.js", import.meta.url);
const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;

interface Fixture {
  readonly plugin: PluginUnderTest;
  readonly clock: FakeClock;
  /** States of the runs, oldest first. */
  states(): Promise<readonly string[]>;
  /** Waits for so many runs that have ended. */
  ended(count: number): Promise<void>;
}

async function started(t: ExecutionContext, config: string): Promise<Fixture> {
  const clock = new FakeClock(START);
  const plugin = await testPlugin(MODULE, { config, clock });
  t.teardown(() => plugin.stop());
  await ready(plugin);
  const all = async () => (await plugin.runs({ limit: 100 })).toReversed();
  return {
    plugin,
    clock,
    states: async () => (await all()).map(({ state }) => state),
    ended: (count) =>
      plugin.until(async () => {
        const runs = await all();
        return runs.filter(({ finishedAt }) => finishedAt !== undefined).length >= count;
      }, `${count} runs to end`),
  };
}

/** Its cursor is known. */
const ready = (plugin: PluginUnderTest): Promise<void> =>
  plugin.until(
    async () => /schedule_next_seconds\{[^}]*\} [1-9]/.test(await plugin.metrics()),
    "the schedule to know its next time",
  );

const hourly = (more: string): string => `schedule "x" {\n  cron = "0 * * * *"\n  ${more}\n}\n`;
const echo = 'run = ["/bin/echo", planned_at, missed]';

test("a run starts at its time, with the time as a value", async (t) => {
  const at = await started(t, hourly(echo));
  await at.clock.advance(HOUR - 1);
  t.deepEqual(await at.states(), []);
  await at.clock.advance(1);
  await at.ended(1);
  const [run] = await at.plugin.runs();
  const { kind, subject, trigger, state } = run ?? {};
  t.deepEqual(
    { kind, subject, trigger, state },
    {
      ...{ kind: "schedule", subject: "schedule.x", state: "succeeded" },
      trigger: "schedule for 2026-01-01T01:00:00Z",
    },
  );
  t.is((await at.plugin.run(run?.id ?? ""))?.output.text, "2026-01-01T01:00:00Z 0\n");
  await at.clock.advance(HOUR);
  await at.ended(2);
  t.deepEqual(await at.states(), ["succeeded", "succeeded"]);
});

test("a new schedule runs nothing of the past, and an edit repeats nothing", async (t) => {
  const at = await started(t, hourly(`catch_up = 1d\n  ${echo}`));
  await at.clock.advance(HOUR);
  await at.ended(1);
  await at.plugin.reload(hourly(`catch_up = 2d\n  ${echo}`));
  await at.plugin.restart();
  await ready(at.plugin);
  await at.clock.advance(HOUR);
  await at.ended(2);
  t.is((await at.states()).length, 2);
});

for (const [catchUp, states] of [
  ["0s", ["cancelled"]],
  ["1h", ["cancelled", "succeeded"]],
] as const) {
  test(`after a jump of the clock, catch_up = ${catchUp}: missed runs are one record, the latest may run`, async (t) => {
    const at = await started(t, hourly(`catch_up = ${catchUp}\n  ${echo}`));
    // Nobody wakes a suspended host: time passes at once.
    const now = at.clock.now();
    at.clock.now = () => now + 5.5 * HOUR;
    await at.plugin.reload(hourly(`catch_up = ${catchUp}\n  timeout = 2h\n  ${echo}`));
    await at.ended(states.length);
    t.deepEqual(await at.states(), states);
    const event = at.plugin.events.find(({ type }) => type === "schedule.missed");
    t.is(event?.data.count, catchUp === "0s" ? 5 : 4);
    t.regex(await at.plugin.metrics(), /schedule_missed_total\{[^}]*\} [45]\b/);
  });
}

test("skip: a run whose previous run has not ended is a record, an event and a count", async (t) => {
  const at = await started(t, hourly('run = ["/bin/sleep", "60"]'));
  await at.clock.advance(HOUR);
  await at.plugin.until(async () => (await at.states()).includes("running"), "the first run");
  await at.clock.advance(HOUR);
  await at.ended(1);
  t.deepEqual(await at.states(), ["running", "cancelled"]);
  t.true(at.plugin.events.some(({ type }) => type === "schedule.skipped"));
  t.regex(await at.plugin.metrics(), /schedule_skipped_total\{[^}]*\} 1\b/);
});

test("replace: the previous run is cancelled", async (t) => {
  const at = await started(t, hourly('overlap = "replace"\n  run = ["/bin/sleep", "60"]'));
  await at.clock.advance(HOUR);
  await at.plugin.until(async () => (await at.states()).includes("running"), "the first run");
  await at.clock.advance(HOUR);
  await at.ended(1);
  await at.plugin.until(async () => (await at.states())[1] === "running", "the second run");
  t.deepEqual(await at.states(), ["cancelled", "running"]);
});

test("one of the hosts runs it", async (t) => {
  const at = await started(t, hourly(`hosts = "one"\n  ${echo}`));
  await at.clock.advance(HOUR);
  await at.ended(1);
  await at.plugin.restart();
  await ready(at.plugin);
  await at.clock.advance(HOUR);
  await at.ended(2);
  t.deepEqual(await at.states(), ["succeeded", "succeeded"]);
});

test("each attempt knows its number", async (t) => {
  const script = 'script = "echo $1; exit 1"\n  args = [attempt]';
  const at = await started(t, hourly(`${script}\n  retry { attempts = 3; min = 1s }`));
  await at.clock.advance(HOUR);
  const [run] = await at.plugin.runs();
  await at.plugin.until(async () => {
    await at.clock.advance(1000);
    return (await at.plugin.run(run?.id ?? ""))?.finishedAt !== undefined;
  }, "the last attempt");
  const { output } = (await at.plugin.run(run?.id ?? "")) ?? {};
  t.deepEqual(output?.text.match(/^\d$/gm), ["1", "2", "3"]);
});

test("the next times are listed", async (t) => {
  const at = await started(t, `##Often.\n${hourly(echo)}`);
  const { status, body } = await at.plugin.control({ url: "/v1/hooks/schedules" });
  t.is(status, 200);
  const [first] = (JSON.parse(body) as { schedules: { name: string; next: number[] }[] }).schedules;
  t.like(first, { name: "x", rule: "0 * * * * UTC", missed: 0, doc: "Often." });
  t.deepEqual(
    first?.next,
    Array.from({ length: 10 }, (_, index) => START + (index + 1) * HOUR),
  );
  const panels = await at.plugin.panels();
  t.like(panels[1], { id: "schedules", rows: [{ schedule: "x", next: START + HOUR }] });
});

test("test blocks know the next time", async (t) => {
  const at = await started(t, hourly(echo));
  const holds = (after: string, time: string) =>
    `${hourly(echo)}test "next" {\n  expect = next(schedule.x, "${after}") == "${time}"\n}\n`;
  const right = await at.plugin.reload(holds("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"));
  t.deepEqual(right.diagnostics, []);
  const wrong = await at.plugin.reload(holds("2026-03-29T00:30:00Z", "2026-03-29T00:30:00Z"));
  t.is(wrong.diagnostics.length, 1);
  const unclear = await at.plugin.reload(holds("tomorrow", "2026-03-29T00:30:00Z"));
  t.regex(unclear.text, /`tomorrow` is no time; write one like/);
});

for (const [what, text, message] of [
  ["no rule", 'run = ["true"]', /neither `cron` nor `every`/],
  ["two rules", 'cron = "0 * * * *"\nevery = 1h\nrun = ["true"]', /both `cron` and `every`/],
  ["no command", 'cron = "0 * * * *"', /a schedule has one command/],
  ["a time that never comes", 'cron = "0 0 31 2 *"\nrun = ["true"]', /never comes/],
  ["an unknown zone", 'every = 1h\ntime_zone = "Mars"\nrun = ["true"]', /no time zone Mars/],
] as const) {
  test(`${what} is an error`, async (t) => {
    const plugin = await testPlugin(MODULE, { config: "" });
    t.teardown(() => plugin.stop());
    const { committed, diagnostics } = await plugin.reload(`schedule "x" {\n${text}\n}\n`);
    t.false(committed);
    t.regex(diagnostics.map((each) => each.message).join(), message);
  });
}

test("a run by hand starts at once, and the times of the schedule stay", async (t) => {
  const at = await started(t, hourly(echo));
  const run = async (schedule: string) => {
    const { status, body } = await at.plugin.control({
      url: "/v1/hooks/schedule/run",
      payload: { schedule },
    });
    return { status, ...JSON.parse(body) };
  };
  await at.clock.advance(HOUR / 2);
  const { status, run: id } = await run("x");
  t.is(status, 200);
  await at.ended(1);
  const record = await at.plugin.run(id);
  t.is(record?.output.text, "2026-01-01T00:30:00Z 0\n");
  t.is(record?.trigger, "by hand");
  await at.clock.advance(HOUR / 2);
  await at.ended(2);
  t.is((await at.plugin.runs({ limit: 1 }))[0]?.trigger, "schedule for 2026-01-01T01:00:00Z");
  t.like(await run("y"), { status: 404, code: "hooks.unknown_schedule" });
});

for (const [overlap, states] of [
  ["skip", [409]],
  ["queue_one", [200, 409]],
  ["allow", [200, 200]],
] as const) {
  test(`a run by hand while another one runs, overlap = ${overlap}: ${states}`, async (t) => {
    const at = await started(t, hourly(`overlap = "${overlap}"\n  run = ["/bin/sleep", "600"]`));
    const run = () =>
      at.plugin.control({ url: "/v1/hooks/schedule/run", payload: { schedule: "x" } });
    t.is((await run()).status, 200);
    for (const status of states) t.is((await run()).status, status);
  });
}

test("a clock that is set back: the schedule goes on at its next time of the new day", async (t) => {
  const at = await started(t, hourly(echo));
  await at.clock.advance(3 * HOUR);
  await at.ended(3);
  at.clock.set(START - 24 * HOUR + 1000);
  await at.clock.advance(HOUR - 2000);
  t.is((await at.states()).length, 3);
  await at.clock.advance(1000);
  await at.ended(4);
  const [run] = await at.plugin.runs();
  t.is(run?.trigger, "schedule for 2025-12-31T01:00:00Z");
  t.true(at.plugin.log.some(({ message }) => /clock was set back/.test(`${message}`)));
});

test("a clock that is set back by seconds: no time runs twice", async (t) => {
  const at = await started(t, hourly(echo));
  await at.clock.advance(HOUR);
  await at.ended(1);
  at.clock.set(START + HOUR - 30_000);
  await at.clock.advance(120_000);
  t.deepEqual(await at.states(), ["succeeded"]);
});

test("a clock that is set forward: what lies between is missed, once", async (t) => {
  const at = await started(t, hourly(echo));
  at.clock.set(START + 5 * HOUR + 600_000);
  await at.clock.advance(60_000);
  await at.ended(1);
  t.deepEqual(await at.states(), ["cancelled"]);
  t.like((await at.plugin.runs())[0]?.detail, { missed: 5 });
});

test("a daemon that starts with a clock that was set back goes on, and again when it is corrected", async (t) => {
  const at = await started(t, hourly(echo));
  await at.clock.advance(2 * HOUR);
  await at.ended(2);
  at.clock.set(START - 100 * HOUR);
  await at.plugin.restart();
  await at.clock.advance(HOUR);
  await at.ended(3);
  t.is((await at.plugin.runs())[0]?.trigger, "schedule for 2025-12-27T21:00:00Z");
  at.clock.set(START + 2 * HOUR + 600_000);
  await at.clock.advance(HOUR);
  await at.ended(4);
  t.is((await at.plugin.runs())[0]?.trigger, "schedule for 2026-01-01T03:00:00Z");
});
