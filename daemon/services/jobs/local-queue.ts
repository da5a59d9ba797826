/** A queue in the daemon's own file: no other daemon can claim its jobs, so a lease never expires while the daemon lives. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../plugin-api/context.js";
import type { Database, Durability } from "../store/database.js";
import { JobTable } from "./job-table.js";
import type {
  ClaimedJob,
  Claims,
  LeaseToken,
  NewJob,
  QueueCounts,
  QueueStore,
} from "./queue-store.js";

export class LocalQueue implements QueueStore {
  readonly isShared = false;
  readonly usualLease = 30_000;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #table: JobTable;

  readonly #survives: Durability;

  constructor(
    database: Database,
    clock: Clock,
    [plugin, queue]: readonly [plugin: string, queue: string],
    survives: Durability = "power",
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#table = new JobTable(database, plugin, queue);
    this.#survives = survives;
  }

  add(job: NewJob): Promise<string> {
    return this.#write(() => this.#table.add(job));
  }

  claim(room: () => number, lease: number, isOver: () => boolean): Promise<Claims> {
    return this.#write(() => {
      const jobs: ClaimedJob[] = [];
      const most = room();
      let now = this.#clock.now();
      while (jobs.length < most && !isOver()) {
        now = this.#clock.now();
        const token = randomUUID();
        const job = this.#table.claim(now, { token, leasedUntil: now + lease });
        if (!job) break;
        const { id, payload, progress, attempt } = job;
        jobs.push({ id, payload, progress, attempt, token });
      }
      // Looks at all that waits: not while there is more to do than can be done. After the moment that was asked about, not
      // after this one: what became due in between would wait for ever.
      const nextAt = jobs.length < most ? this.#table.nextAfter(now) : undefined;
      return { jobs, nextAt };
    });
  }

  renew(held: readonly LeaseToken[], lease: number): Promise<readonly string[]> {
    const leasedUntil = this.#clock.now() + lease;
    return this.#write(() =>
      held
        .filter(({ id, token }) => !this.#table.renew(id, { token, leasedUntil }))
        .map(({ id }) => id),
    );
  }

  async progress({ id, token }: LeaseToken, lease: number, progress: string): Promise<void> {
    const leasedUntil = this.#clock.now() + lease;
    await this.#write(() => this.#table.progress(id, { token, leasedUntil }, progress));
  }

  done({ id, token }: LeaseToken): Promise<void> {
    return this.#write(() => this.#table.done(id, token));
  }

  retry({ id, token }: LeaseToken, runAt: number, reason: string): Promise<void> {
    return this.#write(() => this.#table.retry(id, token, runAt, reason));
  }

  fail({ id, token }: LeaseToken, reason: string): Promise<void> {
    const now = this.#clock.now();
    return this.#write(() => this.#table.fail(id, token, now, reason));
  }

  release(held: readonly LeaseToken[]): Promise<void> {
    const now = this.#clock.now();
    return this.#write(() => {
      for (const { id, token } of held) this.#table.release(id, token, now);
    });
  }

  cancel(id: string): Promise<boolean> {
    return this.#write(() => this.#table.cancel(id));
  }

  #write<Result>(work: () => Result): Promise<Result> {
    return this.#database.write(work, this.#survives);
  }

  async sizes(): Promise<QueueCounts> {
    return this.#table.sizes();
  }
}
