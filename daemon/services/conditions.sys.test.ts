import test from "ava";
import { FakeClock } from "./fake-clock.js";
import { kitFor } from "./testing/services.js";

test("a condition is raised once, keeps its start, and is cleared when it is no longer found", async (t) => {
  const clock = new FakeClock();
  const kit = await kitFor(t, { clock });
  const full = { code: "disk_full", reason: "The disk is full.", isUnready: true };
  kit.conditions.report("health", [full]);
  const since = clock.now();
  clock.pass(5000);
  kit.conditions.report("health", [full]);
  kit.conditions.report("other", [{ ...full, code: "no_program", isUnready: false }]);
  t.deepEqual(
    kit.conditions.list().map((each) => [each.code, each.since]),
    [
      ["disk_full", since],
      ["no_program", since + 5000],
    ],
  );
  t.true((await kit.metrics.text()).includes('reeve_daemon_conditions{code="disk_full"} 1'));
  kit.conditions.report("health", []);
  t.deepEqual(
    kit.conditions.list().map(({ code }) => code),
    ["no_program"],
  );
  t.true((await kit.metrics.text()).includes('reeve_daemon_conditions{code="disk_full"} 0'));
  const events = kit.events.since(0)?.map(({ type, data }) => `${type} ${data.code}`);
  t.deepEqual(events, [
    "condition.raised disk_full",
    "condition.raised no_program",
    "condition.cleared disk_full",
  ]);
});
