/** A branch whose changes GitHub's merge queue makes. */
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import { config, release, type World, world } from "../../testing/forge-fixture.js";
import type { SimulatedQueue } from "../../testing/forge-queue.js";

/** A pull request that may merge, on a branch with this queue. */
async function withQueue(
  t: ExecutionContext,
  queue: SimulatedQueue,
): Promise<{ readonly at: World; readonly clock: FakeClock; reason(): Promise<string> }> {
  const clock = new FakeClock();
  const at = await world(t, "github", { clock });
  at.host.queue = queue;
  t.is((await at.send("POST", "/update_configs", config)).status, 201);
  at.registry.publish("left-foo", "2.0.3");
  await release(at, "2.0.3");
  const reason = async (): Promise<string> => {
    const { data } = (await (await at.send("GET", "/pull_requests?state=open")).json()) as {
      data: readonly { attributes: Record<string, unknown> }[];
    };
    return String(data[0]?.attributes["automerge-reason"] ?? "");
  };
  return { at, clock, reason };
}

test.serial("a merge queue gets the pull request once, and its merge is recorded", async (t) => {
  const queue: SimulatedQueue = { entries: [] };
  const { at, clock, reason } = await withQueue(t, queue);
  const { host, tested } = at;
  await tested.until(async () => /is in the merge queue/.test(await reason()), "the queue");
  t.deepEqual(queue.entries, [1]);
  const [pull] = host.pulls;
  t.is(pull?.state, "open");
  t.is(await host.git("rev-list", "--count", "main"), "1");
  t.not(await host.git("for-each-ref", "refs/heads/dependabot"), "");

  const merges = () => host.log.filter((line) => line.startsWith("PUT")).length;
  const before = merges();
  await tested.until(async () => {
    await clock.advance(30_000);
    return merges() > before;
  }, "the next check");
  t.deepEqual(queue.entries, [1]);

  if (pull) pull.state = "merged";
  await tested.until(async () => {
    await clock.advance(30_000);
    return (await host.git("for-each-ref", "refs/heads/dependabot")) === "";
  }, "the branch to go");
});

test.serial("a pull request that the queue removed is not added again", async (t) => {
  const queue: SimulatedQueue = { entries: [] };
  const { at, clock, reason } = await withQueue(t, queue);
  await at.tested.until(async () => /is in the merge queue/.test(await reason()), "the queue");
  queue.entries.pop();
  await at.tested.until(async () => {
    await clock.advance(30_000);
    return (await reason()) === "The merge queue of the code host removed it.";
  }, "the reason");
  t.deepEqual(queue.entries, []);
});

test.serial("the reason of a queue that refuses is shown", async (t) => {
  const refusal = "Pull request is in draft state.";
  const { at, reason } = await withQueue(t, { entries: [], refusal });
  await at.tested.until(
    async () => (await reason()) === "The merge queue refuses it: Pull request is in draft state.",
    "the reason",
  );
  t.is(at.host.pulls[0]?.state, "open");
});
