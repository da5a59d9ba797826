/** Starts due configs: one run for each, however many were missed while the daemon was down. */
import type { Clock, Log } from "reeve/plugin";
import type { AccountSettings } from "../blocks/settings.js";
import { errorMessage, isStoreAway } from "../errors.js";
import { type Configs, extrasOf } from "../store/configs.js";
import type { Config } from "../store/tables.js";
import { nextRun, spread } from "../timetable/next-run.js";

export interface SchedulerOptions {
  readonly configs: Configs;
  readonly clock: Clock;
  readonly log: Log;
  /** The account's settings; `undefined` if the repository is gone. */
  readonly settingsFor: (config: Config) => Promise<AccountSettings | undefined>;
  /** Queues runs. */
  readonly start: (configs: readonly Config[]) => Promise<void>;
}

/** Milliseconds between checks for due configs. */
const longestWait = 60_000;
/** Milliseconds. A clock that is set back by less counts as the same. */
const clockTolerance = 60_000;
const batch = 500;

export class Scheduler {
  readonly #options: SchedulerOptions;
  #alarm = new AbortController();
  #stopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Computes and records the next run. */
  async plan(config: Config, account: AccountSettings): Promise<void> {
    await this.#options.configs.change(config.id, { next_run_at: this.#next(config, account) });
    this.#alarm.abort();
  }

  /** Moves future runs to the times of changed account settings. Due runs stay due. */
  async replan(): Promise<void> {
    await this.#planAll();
    this.#alarm.abort();
  }

  async #planAll(): Promise<void> {
    const { configs, clock, settingsFor } = this.#options;
    const accounts = new Map<number, AccountSettings | undefined>();
    for (const config of await configs.all()) {
      const { id, repo_id: repo, next_run_at: planned } = config;
      if (planned <= clock.now()) continue;
      if (!accounts.has(repo)) accounts.set(repo, await settingsFor(config));
      const account = accounts.get(repo);
      const next = account && this.#next(config, account);
      if (next === undefined || planned === next || planned === next + spread(id)) continue;
      await configs.change(id, { next_run_at: next });
    }
  }

  #next(config: Config, account: AccountSettings): number {
    const extras = extrasOf(config);
    return nextRun(
      {
        schedule: config.update_schedule,
        time: extras.time ?? account.updateRunTime,
        day: extras.day ?? account.weeklyUpdateRunDay,
        zone: extras.timeZone ?? account.timeZone,
        ...(extras.weekdays ? { weekdays: true } : {}),
        ...(extras.cron === undefined ? {} : { cron: extras.cron }),
      },
      this.#options.clock.now(),
    );
  }

  /** Runs until `stop`. */
  async begin(): Promise<void> {
    const { clock, log, configs } = this.#options;
    let seen = clock.now();
    while (!this.#stopped) {
      this.#alarm = new AbortController();
      const { signal } = this.#alarm;
      let wait = longestWait;
      try {
        if (clock.now() < seen - clockTolerance) {
          log.warn("The host's clock was set back: runs are planned again from the present time");
          await this.#planAll();
        }
        seen = clock.now();
        if ((await this.#startDue()) > 0) continue;
        const next = await configs.nextDue();
        if (next !== undefined) wait = Math.min(Math.max(next - clock.now(), 0), longestWait);
      } catch (thrown) {
        if (this.#stopped) return;
        if (!isStoreAway(thrown)) log.warn(`Cannot start due runs: ${errorMessage(thrown)}`);
      }
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#alarm.abort();
  }

  async #startDue(): Promise<number> {
    const { configs, clock, settingsFor, start } = this.#options;
    const due = await configs.due(clock.now(), batch);
    const alive: Config[] = [];
    const slots: Array<{ id: number; from: number; to: number }> = [];
    const isCrowd = due.length >= 50;
    for (const config of due) {
      const account = await settingsFor(config);
      if (!account) {
        await configs.change(config.id, { next_run_at: Number.MAX_SAFE_INTEGER });
        continue;
      }
      alive.push(config);
      const to = this.#next(config, account) + (isCrowd ? spread(config.id) : 0);
      slots.push({ id: config.id, from: config.next_run_at, to });
    }
    if (slots.length > 0) {
      const taken = await configs.takeSlots(slots);
      await start(alive.filter(({ id }) => taken.has(id)));
    }
    return due.length;
  }
}
