/** Libraries as their makers mean them to be used, set up for many small jobs. */
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { AT_ONCE, type Peer, portions } from "./peer.js";

const queue = "noop";

export async function boss(address: string): Promise<Peer> {
  const own = new PgBoss({ connectionString: address, max: 8, schedule: false });
  own.on("error", (thrown) => void process.stderr.write(`${thrown}\n`));
  await own.start();
  await own.createQueue(queue);
  return {
    fill: async (jobs) => {
      for (const some of portions(jobs)) {
        await own.insert(
          queue,
          some.map((job) => ({ data: { job } })),
        );
      }
    },
    work: async (done) => {
      const options = {
        ...{ batchSize: AT_ONCE, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
      };
      await own.work(queue, options, async (jobs) => {
        for (const _ of jobs) done();
      });
    },
  };
}

/** A daemon locks `locked` jobs at a time, running or not. */
export async function graphile(address: string, locked: number): Promise<Peer> {
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: address, logger });
  await utils.migrate();
  return {
    fill: async (jobs) => {
      for (const some of portions(jobs)) {
        await utils.addJobs(some.map((job) => ({ identifier: queue, payload: { job } })));
      }
    },
    work: async (done) => {
      await run({
        ...{ connectionString: address, logger, noHandleSignals: true },
        preset: {
          worker: {
            ...{ concurrentJobs: AT_ONCE, maxPoolSize: 8, pollInterval: 500 },
            ...{ completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: locked } },
          },
        },
        taskList: { [queue]: async () => done() },
      });
    },
  };
}
