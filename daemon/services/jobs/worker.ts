/** Works off one queue: claims what is due, keeps its leases, and says how each job ended. */
import { randomUUID } from "node:crypto";
import { ReeveError, sentence } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { JobWorker, QueueOptions } from "../../plugin-api/state.js";
import type { SecretMask } from "../contract.js";
import type { Database } from "../store/database.js";
import { decode, encode } from "../store/json.js";
import type { ClaimedJob, JobTable } from "./job-table.js";

const hour = 3_600_000;
/** The clock of the machine may be set: how long a wait may rely on it, in milliseconds. */
const longestWait = 60_000;
export const largestPayload = 1024 * 1024;

export interface WorkerSettings {
  readonly database: Database;
  readonly table: JobTable;
  readonly clock: Clock;
  readonly log: Log;
  readonly mask: SecretMask;
  readonly options: QueueOptions;
  readonly work: JobWorker<never>;
  /** Told after every job: others of its key may be waiting for it, here or at a worker that has replaced this one. */
  readonly ended: () => void;
}

interface Running {
  readonly token: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class QueueWorker {
  readonly #settings: WorkerSettings;
  readonly #running = new Map<string, Running>();
  /** Ends the waiting for time to pass. */
  readonly #stopped = new AbortController();
  #alarm = new AbortController();
  /** What was last complained about, once a trouble and not once a second. */
  #trouble: string | undefined;
  #pumping = false;
  #again = false;
  /** Ends the keeping of leases; there while something runs. */
  #renewal: AbortController | undefined;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  /** Looks for work: something was added, has ended or is due. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    this.#pumping = true;
    void this.#pump().finally(() => {
      this.#pumping = false;
      if (!this.#again) return;
      this.#again = false;
      this.wake();
    });
  }

  /** Aborts one job's signal, if it runs here. */
  cancel(id: string): void {
    const reason = new ReeveError("job_cancelled", "The job was cancelled.");
    this.#running.get(id)?.abort.abort(reason);
  }

  /** Claims nothing more; resolves when what runs has ended. */
  async retire(): Promise<void> {
    this.#stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Gives everything back, now; answers that still come are too late. */
  async abandon(): Promise<void> {
    this.#stop();
    const { database, table, clock } = this.#settings;
    const reason = new ReeveError("job_interrupted", "The daemon, or the plugin, stops.");
    const held = [...this.#running];
    this.#endRenewal();
    for (const [, { abort }] of held) abort.abort(reason);
    if (held.length === 0) return;
    const now = clock.now();
    await database.write(() => {
      for (const [id, { token }] of held) table.release(id, token, now);
    });
  }

  #stop(): void {
    this.#stopped.abort();
    this.#alarm.abort();
  }

  async #pump(): Promise<void> {
    const { database, table, clock, options, log } = this.#settings;
    const room = (options.concurrency ?? 1) - this.#running.size;
    if (room <= 0) return;
    try {
      const { claims, nextAt } = await database.write(() => {
        const claims = this.#claim(room);
        // Looks at all that waits: not while there is more to do than can be done.
        return { claims, nextAt: claims.length < room ? table.nextAfter(clock.now()) : undefined };
      }, options.survives);
      this.#trouble = undefined;
      for (const { job, token } of claims) this.#begin(job, token);
      if (nextAt !== undefined) this.#wakeAt(nextAt);
    } catch (thrown) {
      if (this.#stopped.signal.aborted) return;
      const why = sentence(thrown);
      if (why !== this.#trouble) log.warn(`Jobs could not be fetched: ${why}`);
      this.#trouble = why;
      this.#wakeAt(clock.now() + 1000);
    }
  }

  #claim(room: number): ReadonlyArray<{ readonly job: ClaimedJob; readonly token: string }> {
    if (this.#stopped.signal.aborted) return [];
    const { table, clock } = this.#settings;
    const claims: Array<{ job: ClaimedJob; token: string }> = [];
    while (claims.length < room) {
      const token = randomUUID();
      const job = table.claim(clock.now(), { token, leasedUntil: this.#leasedUntil() });
      if (!job) break;
      claims.push({ job, token });
    }
    return claims;
  }

  #wakeAt(time: number): void {
    const wait = Math.max(time - this.#settings.clock.now(), 0);
    this.#alarm.abort();
    const alarm = new AbortController();
    this.#alarm = alarm;
    this.#settings.clock.sleep(Math.min(wait, longestWait), alarm.signal).then(
      () => this.wake(),
      () => undefined,
    );
  }

  #begin(job: ClaimedJob, token: string): void {
    const abort = new AbortController();
    const done = this.#work(job, token, abort).finally(() => {
      this.#running.delete(job.id);
      if (this.#running.size === 0) this.#endRenewal();
      this.#settings.ended();
    });
    this.#running.set(job.id, { token, abort, done });
    if (this.#renewal) return;
    this.#renewal = new AbortController();
    void this.#renew(this.#renewal.signal);
  }

  async #work(job: ClaimedJob, token: string, abort: AbortController): Promise<void> {
    const { database, table, clock, log, options } = this.#settings;
    const { id } = job;
    try {
      const failure = await this.#attempt(job, token, abort.signal);
      await database.write(() => {
        if (failure === undefined) table.done(id, token);
        else this.#settle(job, token, failure.thrown, abort.signal, clock.now());
      }, options.survives);
    } catch (thrown) {
      // It stays claimed and is taken over at the next start.
      if (!this.#stopped.signal.aborted) {
        log.warn(`The end of a job could not be written: ${sentence(thrown)}`, { job: id });
      }
    }
  }

  /** `undefined` where it succeeded. */
  async #attempt(
    job: ClaimedJob,
    token: string,
    signal: AbortSignal,
  ): Promise<{ readonly thrown: unknown } | undefined> {
    const { database, table, work, options } = this.#settings;
    let progress = decode(job.progress);
    try {
      await work({
        id: job.id,
        payload: decode(job.payload) as never,
        attempt: job.attempt,
        signal,
        get progress() {
          return progress;
        },
        report: async (value) => {
          const text = encode(value, "The progress of a job", largestPayload);
          const leasedUntil = this.#leasedUntil();
          await database.write(
            () => table.progress(job.id, { token, leasedUntil }, text),
            options.survives,
          );
          progress = decode(text);
        },
      });
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  /** What becomes of a job whose try has failed. */
  #settle(
    { id, attempt }: ClaimedJob,
    token: string,
    thrown: unknown,
    signal: AbortSignal,
    now: number,
  ): void {
    const { table, options, mask } = this.#settings;
    const gone = codeOf(thrown) === "plugin_gone";
    // Whoever comes next declares the queue again.
    if (gone) this.#stop();
    if (gone || codeOf(signal.reason) === "job_interrupted") {
      table.release(id, token, now);
      return;
    }
    const reason = mask.text(sentence(thrown));
    const { attempts = 1, backoff = 1000 } = options;
    if (attempt >= attempts) table.fail(id, token, now, reason);
    else table.retry(id, token, now + delay(backoff, attempt), reason);
  }

  /** Keeps the leases of what runs here, until nothing does. */
  async #renew(ended: AbortSignal): Promise<void> {
    const { database, table, clock, log, options } = this.#settings;
    while (!ended.aborted) {
      try {
        await clock.sleep(this.#lease() / 3, ended);
        const leasedUntil = this.#leasedUntil();
        const lost = await database.write(
          () =>
            [...this.#running].filter(
              ([id, { token }]) => !table.renew(id, { token, leasedUntil }),
            ),
          options.survives,
        );
        const reason = new ReeveError("job_lost", "Somebody else has taken the job over.");
        for (const [, { abort }] of lost) abort.abort(reason);
      } catch (thrown) {
        if (ended.aborted) return;
        log.warn(`The leases of jobs could not be renewed: ${sentence(thrown)}`);
      }
    }
  }

  #endRenewal(): void {
    this.#renewal?.abort();
    this.#renewal = undefined;
  }

  #lease(): number {
    return this.#settings.options.lease ?? 30_000;
  }

  #leasedUntil(): number {
    return this.#settings.clock.now() + this.#lease();
  }
}

/** The host says `plugin_gone` of a plugin outside this process that has died. */
const codeOf = (thrown: unknown): unknown => (thrown as { code?: unknown } | undefined)?.code;

/** Doubled for each try, and up to a quarter longer, so that many do not come back at once. */
function delay(backoff: number, attempt: number): number {
  const base = Math.min(backoff * 2 ** (attempt - 1), hour);
  return Math.round(Math.min(base * (1 + Math.random() / 4), hour));
}
