/** Each planned time runs once, whichever step a host dies after, and however many hosts share a store. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";
import { folder } from "../../../tests/support/folder.js";
import { runs } from "../../../tests/support/runs.js";
import { MortalHost } from "../testing/mortal.js";
import { sharedStore } from "../testing/shared-store.js";

const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;
const HALF_MINUTE = 30_000;

interface Host {
  readonly mortal: MortalHost;
  readonly plugin: PluginUnderTest;
}

/** Hosts that share a clock, a store and a file to which each run appends its planned time. */
interface Scene {
  readonly clock: FakeClock;
  host(name: string, steps?: number): Promise<Host>;
  times(): readonly string[];
}

async function scene(t: ExecutionContext, hosts: "each" | "one"): Promise<Scene> {
  const clock = new FakeClock(START);
  const file = join(folder(t), "times");
  const store = await sharedStore(t);
  const config = `schedule "x" {
  cron = "0 * * * *"
  catch_up = 1h
  hosts = "${hosts}"
  script = "echo \\"$1\\" >> \\"$2\\""
  args = [planned_at, ${JSON.stringify(file)}]
}
`;
  return {
    clock,
    async host(name, steps) {
      const mortal = new MortalHost(name, () => store, steps);
      const plugin = await testPlugin(mortal.plugin(), { config, clock });
      t.teardown(() => plugin.stop());
      return { mortal, plugin };
    },
    times: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line !== "")
        : [],
  };
}

const ready = async ({ plugin, mortal }: Host): Promise<void> =>
  plugin.until(
    async () => mortal.dead || /schedule_next_seconds\{[^}]*\} [1-9]/.test(await plugin.metrics()),
    "the schedule to know its next time",
  );

/** Lets time pass until it holds: retries and leases end. */
const passing = (clock: FakeClock, holds: () => boolean | Promise<boolean>): Promise<void> =>
  clock.until(holds, HALF_MINUTE);

/** Its command was cut off with its host. */
const isCutOff = async ({ plugin }: Host): Promise<boolean> =>
  (await plugin.runs()).some(({ state }) => state === "interrupted" || state === "cancelled");

const isIdle = async ({ plugin }: Host): Promise<boolean> =>
  (await plugin.runs()).every(({ finishedAt }) => finishedAt !== undefined);

for (const hosts of ["each", "one"] as const) {
  test(`hosts = "${hosts}": a host that dies after any step runs the time once`, async (t) => {
    t.timeout(300_000);
    for (let steps = 1; ; steps += runs(3, 1)) {
      const { clock, times, ...at } = await scene(t, hosts);
      const host = await at.host("a", steps);
      await ready(host);
      await clock.advance(HOUR);
      await passing(
        clock,
        async () => host.mortal.dead || (times().length > 0 && (await isIdle(host))),
      );
      const isDead = host.mortal.dead;
      if (isDead) await host.plugin.crash();
      await passing(
        clock,
        async () => (times().length > 0 || (await isCutOff(host))) && (await isIdle(host)),
      );
      t.is(new Set(times()).size, times().length, `step ${steps}`);
      await host.plugin.stop();
      if (!isDead) return;
    }
  });
}

test("a host takes over what another one that died had not recorded, and nothing else", async (t) => {
  t.timeout(300_000);
  for (let steps = 1; ; steps += runs(3, 1)) {
    const { clock, times, ...at } = await scene(t, "one");
    const [first, second] = [await at.host("a", steps), await at.host("b")];
    await ready(first);
    await ready(second);
    await clock.advance(HOUR);
    await passing(
      clock,
      async () =>
        first.mortal.dead ||
        (times().length > 0 && (await isIdle(first)) && (await isIdle(second))),
    );
    const isDead = first.mortal.dead;
    const recorded = isDead && (await first.plugin.runs()).length > 0;
    if (isDead && !recorded) await passing(clock, () => times().length > 0);
    if (isDead) await first.plugin.crash();
    await passing(
      clock,
      async () => (times().length > 0 || (await isCutOff(first))) && (await isIdle(first)),
    );
    t.is(new Set(times()).size, times().length, `step ${steps}`);
    await Promise.all([first.plugin.stop(), second.plugin.stop()]);
    if (!isDead) return;
  }
});

test("of two hosts, one runs each time", async (t) => {
  const { clock, times, ...at } = await scene(t, "one");
  const hosts = [await at.host("a"), await at.host("b")];
  await Promise.all(hosts.map(ready));
  for (const count of [1, 2, 3]) {
    await clock.advance(HOUR);
    await hosts[0]?.plugin.until(() => times().length >= count, "the run");
  }
  for (const host of hosts) await host.plugin.until(() => isIdle(host), "its end");
  t.deepEqual(times(), ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"]);
});
