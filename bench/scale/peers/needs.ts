/** What the jobs of several daemons need beyond being done, asked of real queues. */
import { setTimeout as sleep } from "node:timers/promises";
import { realClock } from "../../../daemon/services/clock.js";
import { idMaker } from "../../../daemon/services/ids.js";
import type { QueueStore } from "../../../daemon/services/jobs/queue-store.js";
import type { Server } from "../../../daemon/services/testing/postgres.js";
import type { Row } from "../../support/table.js";
import { bossPair, bossQueuePair, graphilePair, job, queueName, reevePair } from "./open.js";

/** How often two reach for jobs of one key at the same instant. */
const rounds = 200;
const nextId = idMaker(() => realClock.now());
const never = (): boolean => false;
/** Room for one job. */
const one = (): number => 1;

interface Need {
  readonly need: string;
  readonly reeve: string;
  readonly boss: string;
  readonly graphile: string;
}

const overlapping = (count: number): string => `${count} of ${rounds} times two ran`;

/** Two jobs of one key, two daemons that claim at the same instant: how often both have one. */
async function overlaps(here: QueueStore, there: QueueStore): Promise<number> {
  let both = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < 2; at += 1) await here.add(job(nextId(), { key: `key ${round}` }));
    const claims = await Promise.all([here, there].map((each) => each.claim(one, 30_000, never)));
    if (claims.every(({ jobs }) => jobs.length > 0)) both += 1;
    for (const held of claims.flatMap(({ jobs }) => jobs)) await here.done(held);
    for (const held of (await here.claim(one, 30_000, never)).jobs) await here.done(held);
  }
  return both;
}

async function sameKey(server: Server): Promise<Need> {
  const reeve = await reevePair(server);
  const ofReeve = await overlaps(reeve.one, reeve.other);
  await reeve.close();
  const turns = await bossQueuePair(server);
  const withTurns = await overlaps(turns.one, turns.other);
  await turns.close();
  const boss = await bossPair(server, {});
  let both = 0;
  for (let round = 0; round < rounds; round += 1) {
    const group = { id: `key ${round}` };
    await boss.one.insert(queueName, [{ group }, { group }]);
    const fetched = await Promise.all(
      [boss.one, boss.other].map((each) => each.fetch(queueName, { groupConcurrency: 1 })),
    );
    if (fetched.every((jobs) => jobs.length > 0)) both += 1;
    await boss.one.deleteAllJobs(queueName);
  }
  await boss.close();
  return {
    need: "Two daemons claim jobs of one key at the same instant",
    reeve: overlapping(ofReeve),
    boss: `${overlapping(both)}; ${withTurns} with a lock of our own around the fetch`,
    graphile: await sameKeyAtGraphile(server),
  };
}

async function sameKeyAtGraphile(server: Server): Promise<string> {
  const running = new Map<string, number>();
  let [both, ended] = [0, 0];
  const task = async (payload: unknown): Promise<void> => {
    const { key } = payload as { readonly key: string };
    const now = (running.get(key) ?? 0) + 1;
    running.set(key, now);
    if (now > 1) both += 1;
    await sleep(1);
    running.set(key, (running.get(key) ?? 0) - 1);
    ended += 1;
  };
  const pair = await graphilePair(server, [{ work: task }, { work: task }]);
  const keys = Array.from({ length: rounds }, (_, round) => `key ${round}`);
  await pair.utils.addJobs(
    [...keys, ...keys].map((key) => ({ identifier: "work", queueName: key, payload: { key } })),
  );
  await Promise.all([pair.start(0), pair.start(1)]);
  while (ended < 2 * rounds) await sleep(5);
  await pair.close();
  return overlapping(both);
}

/** A worker that was thought dead ends its job while another one has it, and the other one fails. */
async function lateEnd(server: Server): Promise<Need> {
  const reeve = await reevePair(server, 100);
  await reeve.one.add(job(nextId()));
  const [late] = (await reeve.one.claim(one, 100, never)).jobs;
  await sleep(150);
  const [taken] = (await reeve.other.claim(one, 30_000, never)).jobs;
  if (late) await reeve.one.done(late);
  if (taken) await reeve.other.retry(taken, Date.now() + 60_000, "no");
  const { waiting } = await reeve.one.sizes();
  await reeve.close();
  const boss = await bossPair(server, { retryLimit: 9, retryDelay: 0 });
  await boss.one.send(queueName, {});
  const first = await boss.one.fetch(queueName);
  // As the supervisor does when no heartbeat has come.
  await boss.other.fail(queueName, first, {});
  const second = await boss.other.fetch(queueName);
  await boss.one.complete(queueName, first);
  await boss.other.fail(queueName, second, {});
  const left = await boss.one.findJobs(queueName, { queued: true });
  await boss.close();
  const effect = (count: number): string => (count === 1 ? "changes nothing" : "removes the job");
  return {
    need: "A worker that was thought dead ends its job while another has it",
    reeve: effect(waiting),
    boss: effect(left.length),
    graphile: effect(await lateEndAtGraphile(server)),
  };
}

async function lateEndAtGraphile(server: Server): Promise<number> {
  const began = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const task = (at: 0 | 1) => ({
    work: async (
      _: unknown,
      { job: { locked_by } }: { readonly job: { locked_by: string | null } },
    ) => {
      began[at].resolve(locked_by ?? "");
      await ends[at].promise;
    },
  });
  const pair = await graphilePair(server, [task(0), task(1)]);
  await pair.utils.addJob("work", {});
  await pair.start(0);
  const worker = await began[0].promise;
  await pair.start(1);
  await pair.utils.forceUnlockWorkers([worker]);
  await began[1].promise;
  const count = (): Promise<number> =>
    pair.utils.withPgClient(async (client) => {
      const text = "SELECT count(*) AS count FROM graphile_worker.jobs";
      const { rows } = await client.query<{ count: string }>(text);
      return Number(rows[0]?.count);
    });
  ends[0].resolve();
  await sleep(500);
  const left = await count();
  ends[1].reject(new Error("no"));
  await pair.close();
  return left;
}

/** A daemon dies: how long its job waits, where the queue asks for a second. */
async function shortLease(server: Server): Promise<Need> {
  const reeve = await reevePair(server, 1000);
  await reeve.one.add(job(nextId()));
  await reeve.one.claim(one, 1000, never);
  const startedAt = performance.now();
  for (let found = 0; found === 0; ) {
    const { jobs, nextAt = 0 } = await reeve.other.claim(one, 1000, never);
    found = jobs.length;
    if (found === 0) await sleep(Math.max(nextAt - Date.now(), 1));
  }
  const waited = (performance.now() - startedAt) / 1000;
  await reeve.close();
  const refused = await bossPair(server, { heartbeatSeconds: 1 }).then(
    () => "taken",
    (thrown: Error) => thrown.message,
  );
  return {
    need: "A daemon dies, and its queue asks for a lease of 1 s",
    reeve: `another has the job after ${waited.toFixed(1)} s`,
    boss: `refused: ${refused}`,
    graphile: "no leases: after four hours, or when told that the worker is gone",
  };
}

/** Added again while the first waits for its next try. */
async function coalescing(server: Server): Promise<Need> {
  const reeve = await reevePair(server);
  const first = await reeve.one.add(job(nextId(), { dedupe: "x" }));
  const [held] = (await reeve.one.claim(one, 30_000, never)).jobs;
  if (held) await reeve.one.retry(held, Date.now() + 60_000, "no");
  const second = await reeve.one.add(job(nextId(), { dedupe: "x" }));
  await reeve.close();
  const boss = await bossPair(server, { policy: "short", retryLimit: 3, retryDelay: 60 });
  await boss.one.send(queueName, {}, { singletonKey: "x" });
  await boss.one.fail(queueName, await boss.one.fetch(queueName), {});
  const added = await boss.one.send(queueName, {}, { singletonKey: "x" });
  await boss.close();
  return {
    need: "Added again while the first waits for its next try",
    reeve: second === first ? "is the first" : "a second job",
    boss: added === null ? "is the first" : "a second job",
    graphile: await coalescingAtGraphile(server),
  };
}

async function coalescingAtGraphile(server: Server): Promise<string> {
  const failed = Promise.withResolvers<void>();
  const task = async (): Promise<void> => {
    failed.resolve();
    throw new Error("no");
  };
  const pair = await graphilePair(server, [{ work: task }, {}]);
  const { id } = await pair.utils.addJob("work", {}, { jobKey: "x" });
  await pair.start(0);
  await failed.promise;
  await pair.stop();
  const again = await pair.utils.addJob("work", {}, { jobKey: "x" });
  await pair.close();
  if (again.id !== id) return "a second job";
  const isDue = again.run_at.getTime() <= Date.now();
  return `is the first, ${isDue ? "due at once" : "due as before"}, after ${again.attempts} tries`;
}

export async function needs(server: Server): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const ask of [sameKey, lateEnd, shortLease, coalescing]) {
    const { need, reeve, boss, graphile } = await ask(server);
    const result = `reeve: ${reeve}; pg-boss: ${boss}; graphile-worker: ${graphile}`;
    rows.push({ what: need, result, bar: "" });
  }
  return rows;
}
