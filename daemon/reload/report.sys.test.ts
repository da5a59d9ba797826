/** What the metrics and events say of each end of an attempt. */
import test, { type ExecutionContext } from "ava";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { FakeClock } from "../services/fake-clock.js";
import { kitFor } from "../services/testing/services.js";
import type { Generation } from "./contract.js";
import { GenerationReporter } from "./report.js";
import { recordingLog } from "./testing/directory.js";

const START = 1_700_000_000_000;

async function reporterIn(t: ExecutionContext, printed = false) {
  const clock = new FakeClock(START);
  const kit = await kitFor(t, { clock });
  const log = recordingLog();
  const reporter = new GenerationReporter(kit, log, printed);
  const value = async (name: string): Promise<number | undefined> => {
    const lines = (await kit.metrics.text()).split("\n");
    const line = lines.find((each) => each.startsWith(`reeve_config_${name} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  const events = () => (kit.events.since(0) ?? []).map(({ type, data }) => [type, data] as const);
  return { clock, reporter, log, value, events };
}

const generation = (more: Partial<Generation> = {}): Generation => ({
  number: 7,
  state: "committed",
  trigger: "edit",
  sourceHash: "x",
  at: START,
  duration: 250,
  diagnostics: [],
  ...more,
});

test("a generation that runs is counted as applied, with what it did to blocks", async (t) => {
  const { reporter, value, events, log } = await reporterIn(t);
  const summary = { unchanged: 1, added: 2, updated: 3, replaced: 4, removed: 5 };
  reporter.committed(generation({ summary }));
  t.is(await value('reloads_total{result="applied"}'), 1);
  t.is(await value('reload_seconds_sum{result="applied"}'), 0.25);
  t.is(await value("last_reload_successful"), 1);
  t.is(await value("last_reload_success_timestamp_seconds"), START / 1000);
  t.is(await value("generation"), 7);
  for (const [action, count] of Object.entries(summary))
    t.is(await value(`blocks{action="${action}"}`), count);
  t.deepEqual(events(), [
    ["config.reloaded", { generation: 7, trigger: "edit", ...summary, duration: 250 }],
  ]);
  t.deepEqual(
    log.lines.map(({ level }) => level),
    ["info"],
  );
});

test("a generation that is not what is on disk is a warning with its reason and commit", async (t) => {
  const { reporter, events, log } = await reporterIn(t);
  const git = { commit: "a".repeat(40), dirty: false };
  reporter.committed(generation({ git }), "It was put back.");
  t.like(events()[0]?.[1], { git, reason: "It was put back." });
  t.deepEqual(
    log.lines.map(({ level }) => level),
    ["warn"],
  );
});

test("an equal configuration is a success that changes nothing", async (t) => {
  const { reporter, value, events } = await reporterIn(t);
  reporter.unchanged(generation(), 100);
  t.is(await value('reloads_total{result="unchanged"}'), 1);
  t.is(await value('reload_seconds_sum{result="unchanged"}'), 0.1);
  t.is(await value("last_reload_successful"), 1);
  t.is(await value("generation"), 7);
  t.deepEqual(events(), [["config.unchanged", { generation: 7, duration: 100 }]]);
});

const error = (message: string): Diagnostic => ({ code: "E1", severity: "error", message });
const warning: Diagnostic = { code: "W1", severity: "warning", message: "careful" };

test("a refusal names its errors, not its warnings, and at most ten", async (t) => {
  const { reporter, value, events, log } = await reporterIn(t);
  const errors = Array.from({ length: 12 }, (_, index) => error(`wrong ${index}`));
  const refused = generation({ state: "rejected", diagnostics: [warning, ...errors] });
  reporter.rejected({ ...refused, reason: "12 errors" }, generation({ number: 6 }), new Map());
  t.is(await value('reloads_total{result="rejected"}'), 1);
  t.is(await value("last_reload_successful"), 0);
  t.deepEqual(events(), [
    [
      "config.rejected",
      {
        ...{ generation: 7, trigger: "edit", reason: "12 errors", running: 6, duration: 250 },
        errors: errors.slice(0, 10).map(({ message }) => message),
      },
    ],
  ]);
  t.deepEqual(
    log.lines.map(({ level, message }) => [level, message]),
    [["error", "The configuration was refused; generation 6 runs on"]],
  );
});

for (const [printed, trigger, level] of [
  [true, "boot", "debug"],
  [true, "edit", "error"],
  [false, "boot", "error"],
] as const)
  test(`a refusal at ${trigger} that the caller ${printed ? "prints" : "does not print"} is logged as ${level}`, async (t) => {
    const { reporter, log } = await reporterIn(t, printed);
    reporter.rejected(generation({ trigger, diagnostics: [error("wrong")] }), undefined, new Map());
    t.deepEqual(
      log.lines.map((line) => [line.level, line.message]),
      [[level, "The configuration was refused; nothing runs yet"]],
    );
  });

test("a rollback is a failure after which the earlier generation runs", async (t) => {
  const { reporter, value, events } = await reporterIn(t);
  reporter.committed(generation());
  reporter.rolledBack(generation({ reason: "it is ill" }), generation({ number: 6 }));
  t.is(await value('reloads_total{result="rolled_back"}'), 1);
  t.is(await value("last_reload_successful"), 0);
  t.is(await value("generation"), 6);
  t.deepEqual(events().at(-1), [
    "config.rolled_back",
    { generation: 7, restored: 6, reason: "it is ill" },
  ]);
});

test("a generation that is unhealthy and runs on is a failure", async (t) => {
  const { reporter, value, events } = await reporterIn(t);
  reporter.committed(generation());
  reporter.stuck(generation(), "it is ill");
  t.is(await value("last_reload_successful"), 0);
  t.is(await value("generation"), 7);
  t.deepEqual(events().at(-1), ["config.unhealthy", { generation: 7, reason: "it is ill" }]);
  reporter.confirmed(generation());
  t.deepEqual(events().at(-1), ["config.confirmed", { generation: 7 }]);
});

test("how long the disk differs grows until it agrees", async (t) => {
  const { reporter, value, clock } = await reporterIn(t);
  reporter.stale(START);
  t.is(await value("stale_seconds"), 0);
  clock.pass(90_000);
  reporter.stale(START);
  t.is(await value("stale_seconds"), 90);
  reporter.stale(START + 200_000);
  t.is(await value("stale_seconds"), 0);
  reporter.stale(START);
  reporter.stale(undefined);
  t.is(await value("stale_seconds"), 0);
});
