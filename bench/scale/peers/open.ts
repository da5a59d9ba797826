/** Peers in this process, each with a database of its own, closed together. */
import { Logger, makeWorkerUtils, type Runner, run, type TaskList } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { realClock } from "../../../daemon/services/clock.js";
import type { NewJob, QueueStore } from "../../../daemon/services/jobs/queue-store.js";
import { poolFor } from "../../../daemon/services/shared/connection.js";
import { bringUpToDate, SCHEMA } from "../../../daemon/services/shared/schema.js";
import { SharedQueue } from "../../../daemon/services/shared/shared-queue.js";
import type { Server } from "../../../daemon/services/testing/postgres.js";
import { BossQueue } from "./boss-queue.js";
import { startBoss } from "./boss-start.js";

const of = { plugin: "bench", queue: "needs" } as const;
const quiet = new Logger(() => () => undefined);

/** Two daemons. */
interface Pair<Peer> {
  readonly one: Peer;
  readonly other: Peer;
  close(): Promise<void>;
}

export async function reevePair(server: Server, lease = 30_000): Promise<Pair<QueueStore>> {
  const address = await server.database();
  const pools = await Promise.all([1, 2].map(() => poolFor({ address, most: 4, schema: SCHEMA })));
  const [one, other] = pools.map(
    (pool, at) =>
      new SharedQueue({ ...of, pool, clock: realClock, daemon: String(at), usualLease: lease }),
  ) as [SharedQueue, SharedQueue];
  await bringUpToDate(pools[0] as (typeof pools)[0]);
  const close = async (): Promise<void> =>
    void (await Promise.all(pools.map((pool) => pool.end())));
  return { one, other, close };
}

export async function bossQueuePair(server: Server): Promise<Pair<QueueStore>> {
  const address = await server.database();
  const both: { readonly queue: QueueStore; close(): Promise<void> }[] = [];
  for (let at = 0; at < 2; at += 1) {
    const pool = await poolFor({ address, most: 4, schema: SCHEMA });
    const boss = await startBoss(pool);
    const now = (): number => Date.now();
    const queue = new BossQueue({
      ...of,
      pool,
      boss: Promise.resolve(boss),
      now,
      usualLease: 30_000,
    });
    await queue.sizes();
    both.push({
      queue,
      close: async () => {
        await boss.stop({ graceful: false });
        await pool.end();
      },
    });
  }
  const [one, other] = both.map(({ queue }) => queue) as [QueueStore, QueueStore];
  return {
    one,
    other,
    close: async () => void (await Promise.all(both.map((each) => each.close()))),
  };
}

export async function bossPair(
  server: Server,
  options: Parameters<PgBoss["createQueue"]>[1],
): Promise<Pair<PgBoss>> {
  const connectionString = await server.database();
  const both: PgBoss[] = [];
  for (let at = 0; at < 2; at += 1) {
    const boss = new PgBoss({ connectionString, max: 4, schedule: false });
    boss.on("error", () => undefined);
    await boss.start();
    await boss.createQueue(of.queue, options);
    both.push(boss);
  }
  const [one, other] = both as [PgBoss, PgBoss];
  return {
    ...{ one, other },
    close: async () => void (await Promise.all(both.map((boss) => boss.stop({ graceful: false })))),
  };
}

export async function graphilePair(server: Server, tasks: readonly [TaskList, TaskList]) {
  const connectionString = await server.database();
  const utils = await makeWorkerUtils({ connectionString, logger: quiet });
  await utils.migrate();
  const runners: Runner[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  };
  return {
    utils,
    /** Lets the first or the second begin. */
    start: async (at: 0 | 1) => {
      const options = { connectionString, logger: quiet, noHandleSignals: true, concurrency: 1 };
      const runner = await run({ ...options, pollInterval: 50, taskList: tasks[at] });
      runners.push(runner);
    },
    stop,
    close: async () => {
      await stop();
      await utils.release();
    },
  };
}

export const queueName = of.queue;

export const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  ...{ id, payload: "1", key: undefined, dedupe: undefined, priority: 0, runAt: Date.now() },
  ...more,
});
