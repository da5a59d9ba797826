/** Work that must happen even if the daemon dies in the middle: runs of configs, and what follows a pull request. */
import type { Job, Queue } from "reeve/plugin";
import { errorMessage, isStoreAway } from "../errors.js";
import type { UpdatesRuntime } from "../runtime.js";
import type { Config, Pull } from "../store/tables.js";
import { followPull } from "./follow/follow.js";
import type { ReleaseNotification } from "./inbound/release-announcer.js";
import type { JobLease } from "./publish/job-lease.js";
import { isUndecided, recover, takeOver } from "./publish/recover.js";
import { type ConfigRunResult, runConfig } from "./run.js";

interface RunJob {
  readonly config: number;
}
interface FollowJob {
  readonly pull: number;
}

/** Times a run is tried again when a registry says that it may work later. */
const mostRetries = 6;
/** Milliseconds between two looks for what is wanted and nobody was told of. */
const sweeping = 60_000;

export class UpdateQueues {
  readonly #service: UpdatesRuntime;
  readonly #stopping = new AbortController();
  #runs: Queue<RunJob> | undefined;
  #follows: Queue<FollowJob> | undefined;
  #notifications: Queue<ReleaseNotification> | undefined;
  #workers = 0;
  /** Why work could not begin. */
  failure: string | undefined;
  /** How often in a row a config's run has been put off. */
  readonly #putOff = new Map<number, number>();

  constructor(service: UpdatesRuntime) {
    this.#service = service;
  }

  /** Completes what a death left, then works. */
  async begin(): Promise<void> {
    const { context, store } = this.#service;
    try {
      // What other daemons are at is theirs: the next run in a repository looks after it, when nobody else is there.
      if (!store.isShared) {
        await store.runs.interrupted(context.clock.now());
        await recover(this.#service);
      }
      await store.registryCache.tidy();
      await this.#declare();
      if (store.isShared) {
        const prepared = await store.pulls.list({ state: "preparing" });
        await this.wake(prepared.map(({ config_id: id, repo_id }) => ({ id, repo_id })));
        void this.#sweep();
      }
      for (const config of await store.reasons.left()) await this.#add(config);
      for (const pull of await store.pulls.list({ state: "open" })) {
        if (isUndecided(pull)) await this.follow(pull);
      }
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return;
      this.failure = `Updates cannot begin: ${errorMessage(thrown)}`;
      context.log.error(this.failure);
    }
  }

  /** What a daemon wanted and then died, before it could say so: nobody else would ever look. */
  async #sweep(): Promise<void> {
    const { context, store } = this.#service;
    const { signal } = this.#stopping;
    let seen = 0;
    while (!signal.aborted) {
      await context.clock.sleep(sweeping, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.wake(await store.reasons.left(seen));
        seen = await store.reasons.newest();
      } catch (thrown) {
        if (isStoreAway(thrown)) continue;
        context.log.info("what is left to do cannot be seen", { reason: errorMessage(thrown) });
      }
    }
  }

  /** Other settings: perhaps another number of workers. */
  refresh(): void {
    if (!this.#runs || this.#workers === this.#service.settings.workers) return;
    void this.#declare();
  }

  /** Looks at what configs want. */
  async wake(configs: readonly Pick<Config, "id" | "repo_id">[]): Promise<void> {
    await Promise.all(configs.map((config) => this.#add(config)));
  }

  /** Checks it and, where its rules say so, merges it. */
  async follow(pull: Pull, after = 0): Promise<void> {
    await this.#follows?.add(
      { pull: pull.id },
      {
        key: `pull:${pull.id}`,
        // What waits for a later time is no reason not to look now.
        dedupe: `pull:${pull.id}${after > 0 ? " later" : ""}`,
        runAt: this.#service.context.clock.now() + after,
      },
    );
  }

  async notify(notification: ReleaseNotification, after = 0): Promise<void> {
    await this.#notifications?.add(notification, {
      dedupe: JSON.stringify(notification),
      priority: 10,
      runAt: this.#service.context.clock.now() + after,
    });
  }

  async sizes(): Promise<{ readonly waiting: number; readonly running: number }> {
    const { waiting, running } = (await this.#runs?.size()) ?? { waiting: 0, running: 0 };
    return { waiting, running };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#runs?.close(), this.#follows?.close(), this.#notifications?.close()]);
  }

  async #declare(): Promise<void> {
    const { jobs } = this.#service.context;
    this.#workers = this.#service.settings.workers;
    const options = { concurrency: this.#workers, attempts: 5, backoff: 1000 };
    // `begin` finds again what these had to do: in the records of configs and of pull requests.
    const found = { ...options, survives: "daemon" } as const;
    const [runs, follows, notifications] = await Promise.all([
      jobs.queue<RunJob>("runs", found, (job) => this.#run(job)),
      jobs.queue<FollowJob>("pulls", found, (job) =>
        followPull(this.#service, job.payload.pull, this.#leaseOf(job)),
      ),
      jobs.queue<ReleaseNotification>("notifications", options, (job) =>
        this.#service.announcer.spread(job.payload),
      ),
    ]);
    this.#runs = runs;
    this.#follows = follows;
    this.#notifications = notifications;
  }

  async #add({ id, repo_id }: Pick<Config, "id" | "repo_id">, after = 0): Promise<void> {
    await this.#runs?.add(
      { config: id },
      {
        key: `repo:${repo_id}`,
        dedupe: `config:${id}`,
        runAt: this.#service.context.clock.now() + after,
      },
    );
  }

  async #run(job: Job<RunJob>): Promise<void> {
    const { store, context } = this.#service;
    const config = await store.configs.byId(job.payload.config);
    const repo = config && (await store.repos.byId(config.repo_id));
    // Nobody else is in the repository now: what is unfinished there is nobody's.
    const lease = this.#leaseOf(job);
    if (repo && store.isShared) await takeOver(this.#service, repo, lease);
    const wanted = config && (await store.reasons.of(config.id));
    if (!config || !repo || !wanted) return;
    const trigger = wanted.triggers.join(", ");
    const id = await store.runs.start(config, trigger, context.clock.now());
    this.#service.stages.begin(config.id, id);
    try {
      const { names, announcedAt } = wanted;
      const result = await runConfig(this.#service, {
        ...{ config, repo, names, announcedAt, lease, run: id },
      });
      const state = result.reason === undefined ? "succeeded" : "failed";
      const { reason, outcomes } = result;
      const pause = this.#pauseAfter(config, result);
      await store.runs.conclude(
        id,
        { state, outcomes, ...(reason ? { reason } : {}) },
        {
          ...{ last: wanted.last, isWhole: names === undefined },
          ...(pause === undefined ? {} : { again: trigger }),
        },
        context.clock.now(),
      );
      if (pause !== undefined) await this.#add(config, pause);
      this.#service.events.emit("update.run", {
        repo: `${repo.login}/${repo.name}`,
        config: config.id,
        run: id,
        state,
        ...(reason ? { reason } : {}),
      });
    } catch (thrown) {
      await store.runs.fail(id, errorMessage(thrown), context.clock.now());
      throw thrown;
    } finally {
      this.#service.stages.end(config.id, id);
    }
  }

  /** Milliseconds until what a registry could not answer is asked again, later and later. */
  #pauseAfter({ id }: Config, { retryAfter }: ConfigRunResult): number | undefined {
    const before = this.#putOff.get(id) ?? 0;
    this.#putOff.delete(id);
    if (retryAfter === undefined || before >= mostRetries) return undefined;
    this.#putOff.set(id, before + 1);
    return Math.max(retryAfter, 1000 * 2 ** before);
  }

  #leaseOf(job: Job<unknown>): JobLease {
    const signal = AbortSignal.any([job.signal, this.#stopping.signal]);
    return { signal, hold: () => job.hold() };
  }
}
