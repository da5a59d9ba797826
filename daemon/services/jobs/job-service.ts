/** Queues of all plugins. */
import { ReeveError } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { JobOptions, Jobs, JobWorker, Queue, QueueOptions } from "../../plugin-api/state.js";
import type { SecretMask } from "../contract.js";
import { idMaker } from "../ids.js";
import { CLOCK, inject, injectable, LOG } from "../inject.js";
import { Mask } from "../mask.js";
import { pluginStoppedError } from "../plugin-stopped.js";
import { SharedConnection } from "../shared-connection.js";
import { Database } from "../store/database.js";
import { encode } from "../store/json.js";
import { JobTable } from "./job-table.js";
import { LocalQueue } from "./local-queue.js";
import type { QueueStore } from "./queue-store.js";
import { largestPayload, QueueWorker } from "./worker.js";

interface JobSettings {
  readonly database: Database;
  readonly connection: SharedConnection;
  readonly clock: Clock;
  readonly log: Log;
  readonly mask: SecretMask;
}

@injectable()
export class JobService {
  readonly #settings: JobSettings;
  readonly #nextId: () => string;
  /** The current worker of each queue, by plugin and name. */
  readonly #workers = new Map<string, QueueWorker>();

  constructor(
    @inject(Database) database: Database,
    @inject(SharedConnection) connection: SharedConnection,
    @inject(CLOCK) clock: Clock,
    @inject(LOG) log: Log,
    @inject(Mask) mask: SecretMask,
  ) {
    this.#settings = { database, connection, clock, log, mask };
    const last = database.row("SELECT max(id) AS last FROM jobs")?.last as string | null;
    this.#nextId = idMaker(() => clock.now(), last ?? undefined);
  }

  /** Requeues jobs that a dead daemon was working on. */
  async recover(): Promise<void> {
    const { database, clock, log } = this.#settings;
    const count = await database.write(() => JobTable.takeOver(database, clock.now()));
    if (count > 0) log.warn(`${count} jobs were interrupted when the daemon stopped.`, { count });
  }

  /** Another daemon has added something to a queue, or done with it; without a name, perhaps to all of them. */
  wake(plugin?: string, queue?: string): void {
    const key = plugin === undefined || queue === undefined ? undefined : queueKey(plugin, queue);
    for (const [each, worker] of this.#workers)
      if (key === undefined || each === key) worker.wake();
  }

  /** A job that may run here was cancelled elsewhere. */
  cancelled(id: string): void {
    for (const worker of this.#workers.values()) worker.cancel(id);
  }

  /** `abandon` stops the workers that were declared here and gives back what they work on. */
  owned(plugin: string): { readonly jobs: Jobs; abandon(): Promise<void> } {
    const own = new Set<QueueWorker>();
    let gone = false;
    return {
      jobs: {
        queue: async <Payload>(
          name: string,
          options: QueueOptions,
          work: JobWorker<Payload>,
        ): Promise<Queue<Payload>> => {
          if (gone) throw pluginStoppedError(plugin);
          checkOptions(name, options);
          const { database, clock, connection } = this.#settings;
          const store =
            connection.store?.queue(plugin, name) ??
            new LocalQueue(database, clock, [plugin, name], options.survives);
          const key = queueKey(plugin, name);
          const ended = (): void => {
            const current = this.#workers.get(key);
            if (current !== worker) current?.wake();
          };
          const worker: QueueWorker = new QueueWorker({
            ...this.#settings,
            ...{ store, options, work, ended },
          });
          void this.#workers.get(key)?.retire();
          this.#workers.set(key, worker);
          own.add(worker);
          worker.wake();
          return this.#queue(key, store, worker);
        },
      },
      abandon: async () => {
        gone = true;
        const failures = await Promise.allSettled([...own].map((worker) => worker.abandon()));
        for (const [key, worker] of this.#workers) {
          if (own.has(worker)) this.#workers.delete(key);
          else worker.wake(); // What was given back may be its own.
        }
        for (const each of failures) if (each.status === "rejected") throw each.reason;
      },
    };
  }

  #queue<Payload>(key: string, store: QueueStore, worker: QueueWorker): Queue<Payload> {
    return {
      add: async (payload, options = {}) => {
        const job = this.#newJob(payload, options);
        const id = await store.add(job);
        this.#workers.get(key)?.wake();
        return id;
      },
      cancel: async (id) => {
        const found = await store.cancel(id);
        this.#workers.get(key)?.cancel(id);
        worker.cancel(id);
        return found;
      },
      size: () => store.sizes(),
      close: async () => {
        if (this.#workers.get(key) === worker) this.#workers.delete(key);
        await worker.retire();
      },
    };
  }

  #newJob(payload: unknown, { key, dedupe, runAt, priority = 0 }: JobOptions) {
    return {
      id: this.#nextId(),
      payload: encode(payload, "The payload of a job", largestPayload),
      key,
      dedupe,
      priority,
      runAt: Math.trunc(runAt ?? this.#settings.clock.now()),
    };
  }
}

function checkOptions(name: string, options: QueueOptions): void {
  const { concurrency = 1, attempts = 1, backoff = 1000, lease = 30_000 } = options;
  const refuse = (what: string): never => {
    throw new ReeveError("queue_invalid", `The queue "${name}" cannot be declared: ${what}.`);
  };
  if (!(concurrency >= 1)) refuse("its concurrency must be at least 1");
  if (!(attempts >= 1)) refuse("its attempts must be at least 1");
  if (!(backoff >= 0)) refuse("its backoff must not be negative");
  if (!(lease >= 100)) refuse("its lease must be at least 100 ms");
}

const queueKey = (plugin: string, queue: string): string => JSON.stringify([plugin, queue]);
