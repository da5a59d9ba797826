/**
 * A queue of ours on pg-boss: its own calls for all that becomes of a job, and beside them a table for what it has no place for
 * (progress, tries that count, cancelling what runs) and two questions that it does not answer (how many, and when next).
 */
import { createHash } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { type Db, type Job, type JobAttempt, PgBoss, type TestClock } from "pg-boss";
import type {
  ClaimedJob,
  Claims,
  Held,
  NewJob,
  QueueStore,
  Sizes,
} from "../../../daemon/services/jobs/queue-store.js";
import { Batch } from "../../../daemon/services/shared/batch.js";
import { within } from "../../../daemon/services/shared/connection.js";
import { sharedFailure } from "../../../daemon/services/shared/failure.js";

/** Deaths of workers before a job is blamed. */
const mostInterruptions = 5;
/** As long as the library lets a job run at all, and as often as it lets one be tried. */
const longestRun = 24 * 3600;
const mostTries = 2_000_000_000;
const forever = 1_000_000_000;
/** Milliseconds after which somebody looks again, whatever was heard. */
const longestWait = 60_000;

const notes = `CREATE SCHEMA IF NOT EXISTS reeve; CREATE TABLE IF NOT EXISTS reeve_notes (
  id uuid PRIMARY KEY, tries integer NOT NULL DEFAULT 0, spared integer NOT NULL DEFAULT 0, progress text,
  cancelled boolean NOT NULL DEFAULT false)`;

interface Data {
  readonly priority: number;
  readonly payload: string;
}

interface Note {
  readonly id: string;
  readonly tries: number;
  readonly spared: number;
  readonly progress: string | null;
  readonly cancelled: boolean;
}

/** What it asks often is read and planned once a connection. */
const names = new Map<string, string>();
function statementOf(text: string, values: readonly unknown[] | undefined) {
  // More than one in a text cannot be prepared, and comes without values.
  if (values === undefined || values.length === 0) return { text };
  const name = names.get(text) ?? `boss_${names.size}`;
  if (names.size < 300) names.set(text, name);
  return { text, values: [...values], ...(names.has(text) ? { name } : {}) };
}

export const databaseOn = (client: Pool | PoolClient): Db => ({
  executeSql: (text, values) =>
    client.query(statementOf(text, values)).catch((thrown: unknown) => {
      throw sharedFailure(thrown);
    }),
});

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * The library wants a uuid, and takes of the jobs of one group that it finds the one with the smallest: an id of ours, which
 * grows, as one. Four letters of ours are five of it.
 */
export function uuidOf(id: string): string {
  let hex = "";
  for (let at = 0; at < id.length; at += 4) {
    let bits = 0;
    for (let next = at; next < at + 4; next += 1)
      bits = bits * 32 + digits.indexOf(id[next] ?? "0");
    hex += bits.toString(16).padStart(5, "0");
  }
  hex = hex.padEnd(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function idOf(uuid: string): string {
  const hex = uuid.replaceAll("-", "");
  let id = "";
  for (let at = 0; at < 25; at += 5) {
    const bits = Number.parseInt(hex.slice(at, at + 5), 16);
    for (let shift = 15; shift >= 0; shift -= 5) id += digits[(bits >> shift) & 31];
  }
  return id;
}

const attemptOf = ({ id, token }: Held): JobAttempt => ({
  id: uuidOf(id),
  retryCount: Number(token),
});

/** What the library answers, of which its types tell nothing. */
const settledBy = (response: unknown): readonly string[] =>
  (response as { settled?: readonly string[] }).settled ?? [];

export interface BossOptions {
  readonly pool: Pool;
  readonly boss: Promise<PgBoss>;
  readonly now: () => number;
  readonly usualLease: number;
  readonly plugin: string;
  readonly queue: string;
  /** Told before each claim, for tests whose time passes by hand. */
  readonly beforeClaim?: () => Promise<void>;
}

export async function startBoss(pool: Pool, clock?: TestClock): Promise<PgBoss> {
  const boss = new PgBoss({
    db: {
      ...databaseOn(pool),
      setSessionStatements: async (statements) => {
        pool.on("connect", (client) => {
          for (const each of statements) client.query(each).catch(() => undefined);
        });
      },
    },
    ...(clock ? { clock, supervise: false } : {}),
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    registerInstance: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on("error", () => undefined);
  await boss.start();
  await pool.query(notes).catch((thrown: { code?: string }) => {
    if (thrown.code !== "23505" && thrown.code !== "42P07") throw thrown;
  });
  return boss;
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
  readonly #done: Batch<Held, undefined>;
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

  async claim(room: number, _lease: number, isOver: () => boolean): Promise<Claims> {
    const boss = await this.#ready;
    await this.#options.beforeClaim?.();
    const jobs: ClaimedJob[] = [];
    let isDry = false;
    while (jobs.length < room && !isDry && !isOver()) {
      const left = room - jobs.length;
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
    return { jobs, nextAt: this.#options.now() + Math.max(await this.#nextWait(), 20) };
  }

  async renew(held: readonly Held[]): Promise<readonly string[]> {
    const boss = await this.#ready;
    const kept = new Set(settledBy(await boss.touch(this.#name, held.map(attemptOf))));
    const { rows } = await this.#options.pool.query<{ id: string }>(
      "SELECT id FROM reeve_notes WHERE cancelled AND id = ANY ($1)",
      [held.map(({ id }) => uuidOf(id))],
    );
    for (const { id } of rows) kept.delete(id);
    return held.map(({ id }) => id).filter((id) => !kept.has(uuidOf(id)));
  }

  async progress(held: Held, _lease: number, progress: string): Promise<void> {
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      const options = { db: databaseOn(client) };
      const answer = await boss.touch(this.#name, [attemptOf(held)], options);
      if (settledBy(answer).length === 0) return;
      await client.query(
        "INSERT INTO reeve_notes (id, progress) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET progress = $2",
        [uuidOf(held.id), progress],
      );
    });
  }

  done(held: Held): Promise<void> {
    return this.#done.add(held);
  }

  async retry(held: Held, runAt: number, reason: string): Promise<void> {
    this.#held.delete(held.id);
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      if (await this.#discardCancelled(boss, client, held)) return;
      const db = databaseOn(client);
      const answer = await boss.fail(this.#name, [attemptOf(held)], { reason }, { db });
      if (settledBy(answer).length === 0) return;
      const startAfter = new Date(runAt);
      await boss.update(this.#name, undefined, { id: uuidOf(held.id), startAfter, db });
      await client.query(
        "INSERT INTO reeve_notes (id, tries) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET tries = reeve_notes.tries + 1",
        [uuidOf(held.id)],
      );
    });
    await this.#tell();
  }

  async fail(held: Held, reason: string): Promise<void> {
    this.#held.delete(held.id);
    const boss = await this.#ready;
    await within(this.#options.pool, async (client) => {
      if (await this.#discardCancelled(boss, client, held)) return;
      const options = { db: databaseOn(client) };
      await boss.complete(this.#name, [attemptOf(held)], { reason }, options);
    });
    await this.#tell();
  }

  release(held: readonly Held[]): Promise<void> {
    return this.#giveBack(held, undefined);
  }

  async cancel(id: string): Promise<boolean> {
    const boss = await this.#ready;
    return within(this.#options.pool, async (client) => {
      await this.#turn(client);
      const db = databaseOn(client);
      const [job] = await boss.findJobs(this.#name, { id: uuidOf(id), db });
      if (!job) return false;
      if (job.state === "active") {
        await client.query(
          "INSERT INTO reeve_notes (id, cancelled) VALUES ($1, true) ON CONFLICT (id) DO UPDATE SET cancelled = true",
          [uuidOf(id)],
        );
      } else await boss.deleteJob(this.#name, uuidOf(id), { db });
      await client.query("SELECT pg_notify('reeve_cancelled', $1)", [id]);
      return true;
    });
  }

  /** The library's own counts are as old as a minute. */
  async sizes(): Promise<Sizes> {
    await this.#ready;
    const { rows } = await this.#options.pool.query<{ state: string; count: number }>(
      "SELECT state, count(*) AS count FROM pgboss.job WHERE name = $1 GROUP BY state",
      [this.#name],
    );
    const count = (...states: readonly string[]): number =>
      rows.reduce((sum, row) => sum + (states.includes(row.state) ? Number(row.count) : 0), 0);
    return {
      waiting: count("created", "retry"),
      running: count("active"),
      failed: count("completed", "failed"),
    };
  }

  /** Milliseconds until a job is due, or the library has looked after a lease that somebody else has let run out. */
  async #nextWait(): Promise<number> {
    const { rows } = await this.#options.pool.query<{ wait: number | null }>(
      `SELECT extract(epoch FROM least(
         (SELECT min(start_after) FROM pgboss.job
          WHERE name = $1 AND state < 'active' AND start_after > pgboss.job_now()),
         (SELECT min(heartbeat_on + (heartbeat_seconds + 1) * interval '1 second') FROM pgboss.job
          WHERE name = $1 AND state = 'active' AND id <> ALL ($2)))
         - pgboss.job_now()) * 1000 AS wait`,
      [this.#name, [...this.#held].map(uuidOf)],
    );
    return Math.round(Math.min(rows[0]?.wait ?? longestWait, longestWait));
  }

  async #add(jobs: readonly NewJob[]): Promise<readonly string[]> {
    const boss = await this.#ready;
    const plain = jobs.filter(({ dedupe }) => dedupe === undefined);
    if (plain.length > 0) {
      await boss.insert(
        this.#name,
        plain.map((job) => this.#insert(job)),
      );
    }
    const told: string[] = [];
    for (const job of jobs) {
      told.push(job.dedupe === undefined ? job.id : await this.#addOnce(boss, job));
    }
    await this.#tell();
    return told;
  }

  async #addOnce(boss: PgBoss, job: NewJob): Promise<string> {
    for (;;) {
      const key = job.dedupe ?? "";
      const [waiting] = await boss.findJobs(this.#name, { key, queued: true, limit: 1 });
      if (waiting) return idOf(waiting.id);
      const added = await boss.insert(this.#name, [this.#insert(job)], { returnId: true });
      if (added?.[0]) return job.id;
    }
  }

  #insert({ id: own, payload, key, dedupe, priority, runAt }: NewJob) {
    const id = uuidOf(own);
    const wait = runAt - this.#options.now();
    return {
      id,
      data: { payload, priority } satisfies Data,
      priority: Math.trunc(priority),
      // Jobs without one would all be one.
      singletonKey: dedupe ?? id,
      ...(key === undefined ? {} : { group: { id: key } }),
      ...(wait > 0 ? { startAfter: new Date(runAt) } : {}),
    };
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
    const notes = await this.#notes(this.#options.pool, again);
    const admitted: ClaimedJob[] = [];
    const sorted = found.toSorted(
      (one, other) => other.data.priority - one.data.priority || (one.id < other.id ? -1 : 1),
    );
    for (const { id, data, retryCount, groupId } of sorted) {
      const { tries = 0, spared = 0, progress = null, cancelled = false } = notes.get(id) ?? {};
      if (cancelled) await boss.deleteJob(this.#name, [{ id, retryCount }]);
      else if (retryCount - tries - spared >= mostInterruptions)
        await this.#blame(boss, id, retryCount);
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

  async #notes(client: Pool | PoolClient, ids: readonly string[]): Promise<Map<string, Note>> {
    if (ids.length === 0) return new Map();
    const { rows } = await client.query<Note>("SELECT * FROM reeve_notes WHERE id = ANY ($1)", [
      ids,
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #blame(boss: PgBoss, id: string, retryCount: number, db?: Db): Promise<void> {
    const reason = `It was interrupted ${mostInterruptions} times: whoever works on it dies.`;
    await boss.complete(this.#name, [{ id, retryCount }], { reason }, db ? { db } : {});
  }

  async #giveBack(held: readonly Held[], how: "spared" | undefined): Promise<void> {
    const boss = await this.#ready;
    for (const { id } of held) this.#held.delete(id);
    await within(this.#options.pool, async (client) => {
      const db = databaseOn(client);
      const notes = await this.#notes(
        client,
        held.map(({ id }) => uuidOf(id)),
      );
      for (const each of held) {
        const { id, retryCount } = attemptOf(each);
        const { tries = 0, spared = 0, cancelled = false } = notes.get(id) ?? {};
        if (cancelled) await boss.deleteJob(this.#name, [attemptOf(each)], { db });
        else if (how === undefined && retryCount + 1 - tries - spared >= mostInterruptions) {
          await this.#blame(boss, id, retryCount, db);
        } else await boss.fail(this.#name, [attemptOf(each)], { reason: "given back" }, { db });
        if (how === "spared") {
          await client.query(
            "INSERT INTO reeve_notes (id, spared) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET spared = reeve_notes.spared + 1",
            [id],
          );
        }
      }
    });
    await this.#tell();
  }

  async #discardCancelled(boss: PgBoss, client: PoolClient, held: Held): Promise<boolean> {
    const note = (await this.#notes(client, [uuidOf(held.id)])).get(uuidOf(held.id));
    if (!note?.cancelled) return false;
    await boss.deleteJob(this.#name, [attemptOf(held)], { db: databaseOn(client) });
    return true;
  }

  async #finish(held: readonly Held[]): Promise<readonly undefined[]> {
    const boss = await this.#ready;
    await boss.deleteJob(this.#name, held.map(attemptOf));
    for (const { id } of held) this.#held.delete(id);
    const freed = held.filter(({ id }) => this.#keyed.delete(id));
    if (freed.length > 0) await this.#tell();
    return held.map(() => undefined);
  }

  async #tell(): Promise<void> {
    const { plugin, queue, pool } = this.#options;
    await pool.query("SELECT pg_notify('reeve_jobs', $1)", [JSON.stringify([plugin, queue])]);
  }
}
