/** Several daemons share the jobs: whatever happens to one of them, every job is done, and by one at a time. */
import ava from "ava";
import { needs, postgres } from "../../../tests/support/needs.js";
import { outage } from "../testing/outage.js";
import { databaseFor } from "../testing/postgres.js";
import { until } from "../testing/services.js";
import { adder, effectsIn, endedIn, left, scene } from "../testing/several-daemons.js";

const test = needs(ava, postgres);

test("one daemon killed and one cut off for longer than its lease: each job has its effect once, and never two are at it", async (t) => {
  t.timeout(120_000);
  await outage(t, { jobs: 200, more: 100, lease: 2000, cutOffFor: 5000 });
});

test("one that was stopped for longer than its lease hears that others went on before it has an effect outside", async (t) => {
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [, outside] = await adder(t, address, "outside");
  const stopped = await daemon(address, 1000);
  await outside?.add(1);
  await until(() => lines().some(({ what }) => what === "begins"));
  stopped.kill("SIGSTOP");
  const other = await daemon(address, 1000);
  await until(() => endedIn(lines()).length > 0);
  stopped.kill("SIGCONT");
  await until(() => lines().some(({ what }) => what === "loses"));
  // The line is written before the end is recorded.
  await until(async () => (await left(outside)) === 0);
  t.deepEqual(
    lines().map(({ what, pid }) => [what, pid === other.pid ? "other" : "stopped"]),
    [
      ["begins", "stopped"],
      ["begins", "other"],
      ["ends", "other"],
      ["loses", "stopped"],
    ],
  );
});

test("a rolling restart loses nothing and does nothing twice", async (t) => {
  t.timeout(120_000);
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [queue] = await adder(t, address);
  const first = await Promise.all([daemon(address), daemon(address)]);
  const all = Array.from({ length: 400 }, (_, index) => index);
  await Promise.all(all.map((job) => queue.add(job)));
  for (const [index, child] of first.entries()) {
    await until(() => endedIn(lines()).length > 60 * (index + 1));
    child.kill("SIGTERM");
    t.is(await child.ended, 0);
    await daemon(address);
  }
  await until(async () => (await left(queue)) === 0);
  t.deepEqual(await effectsIn(address), all);
});

test("what is added here is worked on elsewhere, and cancelled from here", async (t) => {
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [queue] = await adder(t, address);
  await daemon(address);
  const id = await queue.add(7, { runAt: Date.now() + 3_600_000 });
  t.deepEqual(await queue.size(), { waiting: 1, running: 0, failed: 0 });
  t.true(await queue.cancel(id));
  await queue.add(8);
  await until(() => endedIn(lines()).includes(8));
  t.false(lines().some(({ job }) => job === 7));
});
