/** A task follows each run once, whichever step its host dies after. */
import test from "ava";
import { FakeClock, testPlugin } from "reeve/testing";
import { runs } from "../../../tests/support/runs.js";
import { MortalHost } from "../testing/mortal.js";
import { sharedStore } from "../testing/shared-store.js";

const HALF_MINUTE = 30_000;
const HOUR = 3_600_000;

test("a host that dies after any step starts what follows a run once", async (t) => {
  t.timeout(300_000);
  const store = await sharedStore(t);
  for (let steps = 1; ; steps += runs(3, 1)) {
    const clock = new FakeClock();
    const config = `schedule "s${steps}" {
  cron = "0 * * * *"
  catch_up = 1h
  run = ["echo", planned_at]
}
task "next" {
  after = [schedule.s${steps}]
  on = ["always"]
  run = ["echo", parent.run, parent.state]
}
task "last" {
  after = [task.next]
  on = ["success", "failure"]
  run = ["echo", parent.run]
}
`;
    const mortal = new MortalHost("a", () => store, steps);
    const plugin = await testPlugin(mortal.plugin(), { config, clock });
    t.teardown(() => plugin.stop());
    const all = () => plugin.runs({ limit: 1000 });
    const isIdle = async () => (await all()).every(({ finishedAt }) => finishedAt !== undefined);
    const ended = async () =>
      (await isIdle()) && (await all()).some(({ subject }) => subject === "task.last");
    const passing = (holds: () => boolean | Promise<boolean>) => clock.until(holds, HALF_MINUTE);
    await clock.advance(HOUR);
    await passing(async () => mortal.dead || (await ended()));
    const isDead = mortal.dead;
    if (isDead) await plugin.crash();
    await passing(ended);
    // Nothing follows what was missed.
    const left = (await all()).filter(({ detail }) => !Object.hasOwn(detail ?? {}, "missed"));
    for (const [subject, follower] of [
      [`schedule.s${steps}`, "task.next"],
      ["task.next", "task.last"],
    ]) {
      const before = left.filter((run) => run.subject === subject);
      const parents = left
        .filter((run) => run.subject === follower)
        .map(({ detail }) => (detail as { parent: { run: string } }).parent.run);
      t.deepEqual(parents.toSorted(), before.map(({ id }) => id).toSorted(), `step ${steps}`);
    }
    await plugin.stop();
    if (!isDead) return;
  }
});
