/** Works off one queue: claims what is due, keeps its leases, and says how each job ended. */
import { errorMessage, ReeveError } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { JobWorker, QueueOptions } from "../../plugin-api/state.js";
import type { SecretMask } from "../contract.js";
import { decode, encode } from "../store/json.js";
import type { ClaimedJob, QueueStore } from "./queue-store.js";
import { atMost, backoffDelay, OneShotTimer, withTimeout } from "./timing.js";

export const largestPayload = 1024 * 1024;

export interface WorkerSettings {
  readonly store: QueueStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly mask: SecretMask;
  readonly options: QueueOptions;
  readonly work: JobWorker<never>;
  /** Told after every job: others of its key may be waiting for it at a worker that has replaced this one. */
  readonly ended: () => void;
}

interface Running {
  readonly token: string;
  /** The end of its lease, in milliseconds since the epoch. */
  heldUntil: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** Its work is over, and that is being written. */
  isEnding: boolean;
}

export class QueueWorker {
  readonly #settings: WorkerSettings;
  readonly #running = new Map<string, Running>();
  /** Ends the waiting for time to pass. */
  readonly #stopped = new AbortController();
  readonly #alarm: OneShotTimer;
  /** What was last complained about, once a trouble and not once a second. */
  #lastError: string | undefined;
  #pumping = false;
  #again = false;
  /** Ends the keeping of leases; there while something runs. */
  #renewal: AbortController | undefined;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#alarm = new OneShotTimer(settings.clock, () => this.wake());
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

  /** Gives everything back, now; answers that still come are too late. What is over already is not done once more. */
  async abandon(): Promise<void> {
    this.#stop();
    const reason = new ReeveError("job_interrupted", "The daemon, or the plugin, stops.");
    const all = [...this.#running];
    const ending = all.flatMap(([, { isEnding, done }]) => (isEnding ? [done] : []));
    const held = all.flatMap(([id, { token, isEnding }]) => (isEnding ? [] : [{ id, token }]));
    this.#endRenewal();
    for (const [, { abort }] of all) abort.abort(reason);
    if (held.length > 0) await this.#settings.store.release(held);
    // An unresponsive database must not delay a stop.
    await atMost(this.#settings.clock, this.#lease() / 4, Promise.all(ending));
  }

  #stop(): void {
    this.#stopped.abort();
    this.#alarm.stop();
  }

  async #pump(): Promise<void> {
    const { store, clock, log } = this.#settings;
    const room = (): number => this.#room();
    if (room() <= 0) return;
    try {
      const heldUntil = this.#leasedUntil();
      const isOver = (): boolean => this.#stopped.signal.aborted;
      const { jobs, nextAt } = await store.claim(room, this.#lease(), isOver);
      this.#lastError = undefined;
      for (const job of jobs) this.#begin(job, heldUntil);
      if (nextAt !== undefined && !isOver()) this.#alarm.set(nextAt);
    } catch (thrown) {
      if (this.#stopped.signal.aborted) return;
      const why = errorMessage(thrown);
      // Of a database that is away, the connection to it tells.
      if (why !== this.#lastError && codeOf(thrown) !== "store_away") {
        log.warn(`Jobs could not be fetched: ${why}`);
      }
      this.#lastError = why;
      this.#alarm.set(clock.now() + 1000);
    }
  }

  /** What is over has made room: it is written before, or together with, the claim of something else. */
  #room(): number {
    let room = this.#settings.options.concurrency ?? 1;
    for (const { isEnding } of this.#running.values()) if (!isEnding) room -= 1;
    return room;
  }

  #begin(job: ClaimedJob, heldUntil: number): void {
    const { token } = job;
    const abort = new AbortController();
    const done = this.#work(job, abort).finally(() => {
      // What has been given back may have come again.
      if (this.#running.get(job.id)?.token === token) this.#running.delete(job.id);
      if (this.#running.size === 0) this.#endRenewal();
      this.#settings.ended();
    });
    this.#running.set(job.id, { token, heldUntil, abort, done, isEnding: false });
    if (this.#renewal) return;
    this.#renewal = new AbortController();
    void this.#renew(this.#renewal.signal);
  }

  async #work(job: ClaimedJob, abort: AbortController): Promise<void> {
    const { log } = this.#settings;
    try {
      const failure = await this.#attempt(job, abort.signal);
      const running = this.#running.get(job.id);
      if (running) running.isEnding = true;
      const written = this.#insist(job, () => this.#complete(job, failure, abort.signal));
      // The claim of the next one goes along.
      this.wake();
      await written;
      if (failure !== undefined) this.wake();
    } catch (thrown) {
      // It stays claimed and is taken over at the next start.
      if (codeOf(thrown) === "store_away") {
        log.info("The end of a job could not be told, so it is done once more.", { job: job.id });
      } else if (!this.#stopped.signal.aborted) {
        log.warn(`The end of a job could not be written: ${errorMessage(thrown)}`, { job: job.id });
      }
    }
  }

  /** While the database is unreachable and the lease lasts, a retry may succeed. */
  async #insist({ id }: ClaimedJob, write: () => Promise<void>): Promise<void> {
    const { clock } = this.#settings;
    for (;;) {
      try {
        await write();
        return;
      } catch (thrown) {
        const heldUntil = this.#running.get(id)?.heldUntil ?? 0;
        const isHopeless = codeOf(thrown) !== "store_away" || clock.now() >= heldUntil;
        if (isHopeless || this.#stopped.signal.aborted) throw thrown;
        await clock.sleep(this.#lease() / 12, this.#stopped.signal);
      }
    }
  }

  /** `undefined` where it succeeded. */
  async #attempt(
    job: ClaimedJob,
    signal: AbortSignal,
  ): Promise<{ readonly thrown: unknown } | undefined> {
    const { store, work } = this.#settings;
    try {
      let progress = decode(job.progress);
      await work({
        id: job.id,
        payload: decode(job.payload, "The payload of this job") as never,
        attempt: job.attempt,
        signal,
        get progress() {
          return progress;
        },
        report: async (value) => {
          const text = encode(value, "The progress of a job", largestPayload);
          await store.progress(job, this.#lease(), text);
          progress = decode(text);
        },
        hold: () => this.#hold(job, signal),
      });
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  /** What becomes of a job whose try is over. */
  #complete(
    job: ClaimedJob,
    failure: { readonly thrown: unknown } | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, options, mask, clock } = this.#settings;
    if (failure === undefined) return store.done(job);
    const { thrown } = failure;
    const gone = codeOf(thrown) === "plugin_gone";
    // The next worker declares the queue again.
    if (gone) this.#stop();
    const isAway = store.isShared && codeOf(thrown) === "store_away";
    if (gone || isAway || codeOf(signal.reason) === "job_interrupted") return store.release([job]);
    const reason = mask.text(errorMessage(thrown));
    const { attempts = 1, backoff = 1000 } = options;
    if (job.attempt >= attempts) return store.fail(job, reason);
    return store.retry(job, clock.now() + backoffDelay(backoff, job.attempt), reason);
  }

  /** Keeps the leases of what runs here, until nothing does. */
  async #renew(ended: AbortSignal): Promise<void> {
    const { store, clock, log } = this.#settings;
    let pause = this.#lease() / 3;
    while (!ended.aborted) {
      try {
        await clock.sleep(pause, ended);
        const heldUntil = this.#leasedUntil();
        const held = this.#held();
        const answer = store.renew(held, this.#lease());
        const patience = store.isShared ? this.#lease() / 4 : undefined;
        const lost = new Set(await withTimeout(clock, patience, answer, ended));
        for (const { id } of held) {
          const running = this.#running.get(id);
          if (running && !lost.has(id)) running.heldUntil = heldUntil;
        }
        this.#lose((id) => lost.has(id));
        pause = this.#lease() / 3;
      } catch (thrown) {
        if (ended.aborted) return;
        pause = this.#lease() / 12;
        if (codeOf(thrown) !== "store_away") {
          log.warn(`The leases of jobs could not be renewed: ${errorMessage(thrown)}`);
        }
        // Before the lease expires, not after.
        const soon = clock.now() + this.#lease() / 6;
        if (store.isShared) this.#lose((_id, { heldUntil }) => heldUntil <= soon);
      }
    }
  }

  /** Checks again whether this worker owns the job; a stopped worker got no notification. */
  async #hold(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#settings;
    signal.throwIfAborted();
    if (!store.isShared) return;
    const heldUntil = this.#leasedUntil();
    const answer = store.renew([job], this.#lease());
    const lost = await withTimeout(clock, this.#lease() / 4, answer);
    this.#lose((id) => lost.includes(id));
    const running = this.#running.get(job.id);
    if (running) running.heldUntil = heldUntil;
    signal.throwIfAborted();
  }

  #lose(isLost: (id: string, running: Running) => boolean): void {
    const reason = new ReeveError("job_lost", "Another worker has taken over the job.");
    for (const [id, running] of this.#running) if (isLost(id, running)) running.abort.abort(reason);
  }

  #held(): readonly { readonly id: string; readonly token: string }[] {
    return [...this.#running].map(([id, { token }]) => ({ id, token }));
  }

  #endRenewal(): void {
    this.#renewal?.abort();
    this.#renewal = undefined;
  }

  #lease(): number {
    return this.#settings.options.lease ?? this.#settings.store.usualLease;
  }

  #leasedUntil(): number {
    return this.#settings.clock.now() + this.#lease();
  }
}

/** The host says `plugin_gone` of a plugin outside this process that has died. */
const codeOf = (thrown: unknown): unknown => (thrown as { code?: unknown } | undefined)?.code;
