/** A task follows each run once, whichever step its host dies after. */
import test from "ava";
import { FakeClock, testPlugin } from "reeve/testing";
import { withoutRoomFor } from "../testing/full-disk.js";
import { MortalHost } from "../testing/mortal.js";
import { sharedStore } from "../testing/shared-store.js";
import { notAccepted } from "./task-chain.js";

const HALF_MINUTE = 30_000;
const HOUR = 3_600_000;

for (const [what, words] of [
  ["a run", "parent.run, parent.state"],
  ["a run that cannot start", "parent.json.name"],
] as const)
  test(`a host that dies after any step starts what follows ${what} once`, async (t) => {
    t.timeout(300_000);
    const store = await sharedStore(t);
    for (let steps = 1; ; steps += 1) {
      const clock = new FakeClock();
      const config = `schedule "s${steps}" {
  cron = "0 * * * *"
  catch_up = 1h
  run = ["echo", planned_at]
}
task "next" {
  after = [schedule.s${steps}]
  on = ["always"]
  run = ["echo", ${words}]
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

const refusals = {
  "no follower can be recorded": false,
  "the disk does not confirm the record of a follower": true,
};

for (const [why, isRecorded] of Object.entries(refusals))
  for (const how of ["succeeded", "failed"] as const)
    test(`a run that ${how} while ${why} is followed by the work of the next instance`, async (t) => {
      const disk = { isFull: true, isRecorded };
      const clock = new FakeClock();
      const config = `task "first" { run = ["sh", "-c", "echo words; exit ${how === "failed" ? 3 : 0}"] }
task "next" {
  after = [task.first]
  on = ["success", "failure"]
  run = ["echo", parent.run, parent.state, parent.output]
}
`;
      const plugin = await testPlugin(withoutRoomFor("task.next", disk), { config, clock });
      t.teardown(() => plugin.stop());
      await plugin.control({ url: "/v1/hooks/task/run", payload: { task: "first" } });
      const logged = (text: string) => plugin.log.some(({ message }) => message === text);
      await clock.until(() => logged("The task that follows a run waits until it can be recorded"));
      const restarted = plugin.restart();
      await clock.until(() => logged("The task that follows a run is left to the next daemon"));
      await restarted;
      disk.isFull = false;
      const accepted = async () =>
        (await plugin.runs({ limit: 100 })).filter(({ reason }) => reason !== notAccepted);
      await clock.until(async () => {
        const found = await accepted();
        return found.length === 2 && found.every(({ finishedAt }) => finishedAt !== undefined);
      });
      const [next, first] = await accepted();
      t.is(first?.state, how);
      t.is(first?.exitCode, how === "failed" ? 3 : 0);
      t.is(first?.reason, how === "failed" ? "The command ended with status 3." : undefined);
      t.is(first?.output.text, "words\n");
      t.is(next?.state, "succeeded");
      t.like(next?.detail, { parent: { run: first?.id, state: how } });
      t.is(next?.output.text, `${first?.id} ${how === "failed" ? "failure" : "success"} words\n\n`);
    });
