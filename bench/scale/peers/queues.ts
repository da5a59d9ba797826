/** Queues of reeve's contract, worked off by reeve's own worker. */

import type { Log } from "../../../daemon/plugin-api/context.js";
import { realClock } from "../../../daemon/services/clock.js";
import { idMaker } from "../../../daemon/services/ids.js";
import type { QueueStore } from "../../../daemon/services/jobs/queue-store.js";
import { QueueWorker } from "../../../daemon/services/jobs/worker.js";
import { Mask } from "../../../daemon/services/mask.js";
import { poolFor } from "../../../daemon/services/shared/connection.js";
import { SCHEMA } from "../../../daemon/services/shared/schema.js";
import { SharedStore } from "../../../daemon/services/shared/shared-store.js";
import { BossQueue } from "./boss-queue.js";
import { startBoss } from "./boss-start.js";
import { AT_ONCE, type Peer, portions } from "./peer.js";

const log: Log = {
  child: () => log,
  debug: () => undefined,
  info: () => undefined,
  warn: (text) => void process.stderr.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
};
const lease = 30_000;
const of = { plugin: "bench", queue: "noop" } as const;

export async function reeve(address: string): Promise<Peer> {
  const { signal } = new AbortController();
  const store = await SharedStore.open({ address, lease, clock: realClock, log, signal });
  return workedOff(store.queue(of.plugin, of.queue));
}

export async function bossByContract(address: string): Promise<Peer> {
  const pool = await poolFor({ address, most: 8, schema: SCHEMA });
  const boss = startBoss(pool);
  await boss;
  const now = (): number => Date.now();
  return workedOff(new BossQueue({ ...of, pool, boss, now, usualLease: lease }));
}

function workedOff(store: QueueStore): Peer {
  const nextId = idMaker(() => Date.now());
  return {
    fill: async (jobs) => {
      for (const some of portions(jobs)) {
        await Promise.all(
          some.map((job) =>
            store.add({
              ...{ id: nextId(), payload: JSON.stringify(job), key: undefined, dedupe: undefined },
              ...{ priority: 0, runAt: Date.now() },
            }),
          ),
        );
      }
    },
    work: async (done) => {
      const options = { concurrency: AT_ONCE };
      const ended = (): void => {
        done();
        worker.wake();
      };
      const work = async (): Promise<void> => undefined;
      const settings = { store, clock: realClock, log, mask: new Mask(), options, work, ended };
      const worker = new QueueWorker(settings);
      worker.wake();
    },
  };
}
