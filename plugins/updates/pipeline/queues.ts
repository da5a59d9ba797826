/** The job queues: runs of configs, follow-ups of pull requests, announced releases. Their jobs survive the daemon. */
import type { Clock, Job, PluginContext, Queue } from "reeve/plugin";
import type { Config, Pull } from "../store/tables.js";
import type { JobLease } from "./job-lease.js";
import type { ReleaseNotification } from "./ports.js";

interface RunJob {
  readonly config: number;
}
interface FollowJob {
  readonly pull: number;
}

interface QueueHandlers {
  run(configId: number, lease: JobLease): Promise<void>;
  follow(pullId: number, lease: JobLease): Promise<void>;
  announce(notification: ReleaseNotification): Promise<void>;
}

export interface UpdateQueuesOptions {
  readonly jobs: PluginContext["jobs"];
  readonly clock: Clock;
  readonly workers: () => number;
  readonly handlers: QueueHandlers;
}

export class UpdateQueues {
  readonly #options: UpdateQueuesOptions;
  readonly #stopping = new AbortController();
  #runs: Queue<RunJob> | undefined;
  #follows: Queue<FollowJob> | undefined;
  #notifications: Queue<ReleaseNotification> | undefined;
  #workers = 0;

  constructor(options: UpdateQueuesOptions) {
    this.#options = options;
  }

  /** Declares the queues; work begins. */
  async start(): Promise<void> {
    const { jobs, workers, handlers } = this.#options;
    this.#workers = workers();
    const options = { concurrency: this.#workers, attempts: 5, backoff: 1000 };
    // `resume` finds these jobs again in the records of configs and pull requests.
    const recorded = { ...options, survives: "daemon" } as const;
    [this.#runs, this.#follows, this.#notifications] = await Promise.all([
      jobs.queue<RunJob>("runs", recorded, (job) =>
        handlers.run(job.payload.config, this.#leaseOf(job)),
      ),
      jobs.queue<FollowJob>("pulls", recorded, (job) =>
        handlers.follow(job.payload.pull, this.#leaseOf(job)),
      ),
      jobs.queue<ReleaseNotification>("notifications", options, (job) =>
        handlers.announce(job.payload),
      ),
    ]);
  }

  /** Declares the queues again if a reload changed the number of workers. */
  refresh(): void {
    if (this.#runs && this.#workers !== this.#options.workers()) void this.start();
  }

  async enqueueRuns(configs: readonly Pick<Config, "id" | "repo_id">[], after = 0): Promise<void> {
    const runAt = this.#options.clock.now() + after;
    const add = ({ id, repo_id }: Pick<Config, "id" | "repo_id">) =>
      this.#runs?.add({ config: id }, { key: `repo:${repo_id}`, dedupe: `config:${id}`, runAt });
    await Promise.all(configs.map(add));
  }

  async enqueueFollow(pull: Pull, after = 0): Promise<void> {
    await this.#follows?.add(
      { pull: pull.id },
      {
        key: `pull:${pull.id}`,
        // A delayed job does not suppress an immediate one.
        dedupe: `pull:${pull.id}${after > 0 ? " later" : ""}`,
        runAt: this.#options.clock.now() + after,
      },
    );
  }

  async enqueueNotification(notification: ReleaseNotification, after = 0): Promise<void> {
    await this.#notifications?.add(notification, {
      dedupe: JSON.stringify(notification),
      priority: 10,
      runAt: this.#options.clock.now() + after,
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

  #leaseOf(job: Job<unknown>): JobLease {
    const signal = AbortSignal.any([job.signal, this.#stopping.signal]);
    return { signal, hold: () => job.hold() };
  }
}
