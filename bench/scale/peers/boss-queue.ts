/**
 * A queue of ours on pg-boss: its own calls for all that becomes of a job, and beside them a table for what it has no place for
 * (progress, tries that count, cancelling what runs) and two questions that it does not answer (how many, and when next).
 */
import { createHash } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import type { Db, Job, PgBoss } from "pg-boss";
import type {
  ClaimedJob,
  Claims,
  LeaseToken,
  NewJob,
  QueueCounts,
  QueueStore,
} from "../../../daemon/services/jobs/queue-store.js";
import { Batch } from "../../../daemon/services/shared/batch.js";
import { within } from "../../../daemon/services/shared/connection.js";
import { sharedFailure } from "../../../daemon/services/shared/failure.js";
import { idOf, uuidOf } from "./boss-ids.js";
import { attemptOf, changedBy, type Data, insertOf } from "./boss-job.js";
import { cancelledOf, count, keepProgress, markCancelled, notesOf } from "./boss-notes.js";
import { sizesIn, waitIn } from "./boss-reads.js";
import { databaseOn } from "./boss-start.js";

/** Deaths of workers before a job is blamed. */
const mostInterruptions = 5;
/** As long as the library lets a job run at all, and as often as it lets one be tried. */
const longestRun = 24 * 3600;
const mostTries = 2_000_000_000;
const forever = 1_000_000_000;

export interface BossOptions {
  readonly pool: Pool;
  readonly boss: Promise<PgBoss>;
  readonly now: () => number;
  readonly usualLease: number;
  readonly plugin: string;
  readonly queue: string;
}

export class BossQueue implements QueueStore {
  readonly isShared = true;
  readonly usualLease: number;
  readonly #options: BossOptions;
  readonly #name: string;
  /** Any number, another one for each queue. */
  readonly #lock: bigint;
  readonly #ready: Promise<PgBoss>;
  readonly #added: Batch<NewJob, string>;
  readonly #done: Batch<LeaseToken, undefined>;
  readonly #held = new Set<string>();
  /** Held jobs that others of their key may be waiting for. */
  readonly #keyed = new Set<string>();

  constructor(options: BossOptions) {
    this.#options = options;
    this.usualLease = options.usualLease;
    this.#name = `${options.plugin}/${options.queue}`;
    this.#lock = createHash("sha256").update(this.#name).digest().readBigInt64BE();
    this.#ready = options.boss.then(async (boss) => {
      await boss.createQueue(this.#name, {
        policy: "short",
        retryLimit: mostTries,
        expireInSeconds: longestRun,
        heartbeatSeconds: Math.max(10, Math.ceil(options.usualLease / 1000)),
        retentionSeconds: forever,
      });
      return boss;
    });
    this.#ready.catch(() => undefined);
    this.#added = new Batch((jobs) => this.#add(jobs));
    this.#done = new Batch((held) => this.#finish(held));
  }

  add(job: NewJob): Promise<string> {
    return this.#added.add(job);
  }

  async claim(room: () => number, _lease: number, isOver: () => boolean): Promise<Claims> {
    const boss = await this.#ready;
    const most = room();
    const jobs: ClaimedJob[] = [];
    let isDry = false;
    while (jobs.length < most && !isDry && !isOver()) {
      const left = most - jobs.length;
      const found = await this.#fetch(boss, left);
      // Of each group that it meets it leaves all but one; then there may be more behind.
      isDry = found.length < left && !found.some(({ groupId }) => groupId != null);
      jobs.push(...(await this.#admit(boss, found)));
    }
    if (isOver()) {
      if (jobs.length > 0) await this.#giveBack(jobs, "spared");
      return { jobs: [], nextAt: undefined };
    }
    for (const { id } of jobs) this.#held.add(id);
    if (!isDry) return { jobs, nextAt: undefined };
    const wait = await waitIn(this.#options.pool, this.#name, [...this.#held].map(uuidOf));
    return { jobs, nextAt: this.#options.now() + Math.max(wait, 20) };
  }

  async renew(held: readonly LeaseToken[]): Promise<readonly string[]> {
    const boss = await this.#ready;
    const kept = new Set(changedBy(await boss.touch(this.#name, held.map(attemptOf))));
    const uuids = held.map(({ id }) => uuidOf(id));
    for (const uuid of await cancelledOf(this.#options.pool, uuids)) kept.delete(uuid);
    return held.map(({ id }) => id).filter((id) => !kept.has(uuidOf(id)));
  }

  async progress(held: LeaseToken, _lease: number, progress: string): Promise<void> {
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      const options = { db: databaseOn(client) };
      const answer = await boss.touch(this.#name, [attemptOf(held)], options);
      if (changedBy(answer).length === 0) return;
      await keepProgress(client, held.id, progress);
    });
  }

  done(held: LeaseToken): Promise<void> {
    return this.#done.add(held);
  }

  async retry(held: LeaseToken, runAt: number, reason: string): Promise<void> {
    this.#held.delete(held.id);
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      if (await this.#discardCancelled(boss, client, held)) return;
      const db = databaseOn(client);
      const answer = await boss.fail(this.#name, [attemptOf(held)], { reason }, { db });
      if (changedBy(answer).length === 0) return;
      const startAfter = new Date(runAt);
      await boss.update(this.#name, undefined, { id: uuidOf(held.id), startAfter, db });
      await count(client, held.id, "tries");
    });
    await this.#notify();
  }

  async fail(held: LeaseToken, reason: string): Promise<void> {
    this.#held.delete(held.id);
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      if (await this.#discardCancelled(boss, client, held)) return;
      const options = { db: databaseOn(client) };
      await boss.complete(this.#name, [attemptOf(held)], { reason }, options);
    });
    await this.#notify();
  }

  release(held: readonly LeaseToken[]): Promise<void> {
    return this.#giveBack(held, undefined);
  }

  async cancel(id: string): Promise<boolean> {
    const boss = await this.#ready;
    return within(this.#options.pool, async (client) => {
      await this.#turn(client);
      const db = databaseOn(client);
      const [job] = await boss.findJobs(this.#name, { id: uuidOf(id), db });
      if (!job) return false;
      // Cancelled by the library its key would be free while its worker still winds up.
      if (job.state === "active") await markCancelled(client, id);
      else await boss.deleteJob(this.#name, uuidOf(id), { db });
      await client.query("SELECT pg_notify('reeve_cancelled', $1)", [id]);
      return true;
    });
  }

  async sizes(): Promise<QueueCounts> {
    await this.#ready;
    return sizesIn(this.#options.pool, this.#name);
  }

  async #add(jobs: readonly NewJob[]): Promise<readonly string[]> {
    const boss = await this.#ready;
    const plain = jobs.filter(({ dedupe }) => dedupe === undefined);
    if (plain.length > 0) {
      await boss.insert(
        this.#name,
        plain.map((job) => insertOf(job, this.#options.now())),
      );
    }
    const ids: string[] = [];
    for (const job of jobs) {
      ids.push(job.dedupe === undefined ? job.id : await this.#addOnce(boss, job));
    }
    await this.#notify();
    return ids;
  }

  async #addOnce(boss: PgBoss, job: NewJob): Promise<string> {
    for (;;) {
      const key = job.dedupe ?? "";
      const [waiting] = await boss.findJobs(this.#name, { key, queued: true, limit: 1 });
      if (waiting) return idOf(waiting.id);
      const added = await boss.insert(this.#name, [insertOf(job, this.#options.now())], {
        returnId: true,
      });
      if (added?.[0]) return job.id;
    }
  }

  /** Two that fetch at the same time would both have a job of the same group. */
  #turn(client: PoolClient): Promise<unknown> {
    return client.query(`SELECT pg_advisory_xact_lock(${this.#lock})`);
  }

  async #fetch(boss: PgBoss, room: number): Promise<Job<Data>[]> {
    const client = await this.#options.pool.connect().catch((thrown: unknown) => {
      throw sharedFailure(thrown);
    });
    try {
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${this.#lock})`);
      const options = { batchSize: room, groupConcurrency: 1, db: databaseOn(client) };
      const jobs = await boss.fetch<Data>(this.#name, options);
      await client.query("COMMIT");
      client.release();
      return jobs;
    } catch (thrown) {
      client.release(true);
      throw sharedFailure(thrown);
    }
  }

  /** What was fetched, without what had been cancelled when its worker died and what has killed too many. */
  async #admit(boss: PgBoss, found: Job<Data>[]): Promise<ClaimedJob[]> {
    const again = found.filter(({ retryCount }) => retryCount > 0).map(({ id }) => id);
    const notes = await notesOf(this.#options.pool, again);
    const admitted: ClaimedJob[] = [];
    const sorted = found.toSorted(
      (one, other) => other.data.priority - one.data.priority || (one.id < other.id ? -1 : 1),
    );
    for (const { id, data, retryCount, groupId } of sorted) {
      const { tries = 0, spared = 0, progress = null, cancelled = false } = notes.get(id) ?? {};
      if (cancelled) await boss.deleteJob(this.#name, [{ id, retryCount }]);
      else if (retryCount - tries - spared >= mostInterruptions)
        await this.#countAttempt(boss, id, retryCount);
      else {
        const own = idOf(id);
        if (groupId != null) this.#keyed.add(own);
        admitted.push({
          ...{ id: own, payload: data.payload, progress, attempt: tries + 1 },
          token: String(retryCount),
        });
      }
    }
    return admitted;
  }

  async #countAttempt(boss: PgBoss, id: string, retryCount: number, db?: Db): Promise<void> {
    const reason = `It was interrupted ${mostInterruptions} times: its worker dies.`;
    await boss.complete(this.#name, [{ id, retryCount }], { reason }, db ? { db } : {});
  }

  async #giveBack(held: readonly LeaseToken[], how: "spared" | undefined): Promise<void> {
    const boss = await this.#ready;
    for (const { id } of held) this.#held.delete(id);
    await within(this.#options.pool, async (client) => {
      const db = databaseOn(client);
      const uuids = held.map(({ id }) => uuidOf(id));
      const notes = await notesOf(client, uuids);
      for (const each of held) {
        const { id, retryCount } = attemptOf(each);
        const { tries = 0, spared = 0, cancelled = false } = notes.get(id) ?? {};
        if (cancelled) await boss.deleteJob(this.#name, [attemptOf(each)], { db });
        else if (how === undefined && retryCount + 1 - tries - spared >= mostInterruptions) {
          await this.#countAttempt(boss, id, retryCount, db);
        } else await boss.fail(this.#name, [attemptOf(each)], { reason: "given back" }, { db });
        if (how === "spared") await count(client, each.id, how);
      }
    });
    await this.#notify();
  }

  async #discardCancelled(boss: PgBoss, client: PoolClient, held: LeaseToken): Promise<boolean> {
    const notes = await notesOf(client, [uuidOf(held.id)]);
    if (notes.get(uuidOf(held.id))?.cancelled !== true) return false;
    await boss.deleteJob(this.#name, [attemptOf(held)], { db: databaseOn(client) });
    return true;
  }

  async #finish(held: readonly LeaseToken[]): Promise<readonly undefined[]> {
    const boss = await this.#ready;
    await boss.deleteJob(this.#name, held.map(attemptOf));
    for (const { id } of held) this.#held.delete(id);
    const freed = held.filter(({ id }) => this.#keyed.delete(id));
    if (freed.length > 0) await this.#notify();
    return held.map(() => undefined);
  }

  async #notify(): Promise<void> {
    const { plugin, queue, pool } = this.#options;
    await pool.query("SELECT pg_notify('reeve_jobs', $1)", [JSON.stringify([plugin, queue])]);
  }
}
