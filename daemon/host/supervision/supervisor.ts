/**
 * Keeps one plugin running: its instance, its committed configuration, and what happens when it fails. One
 * task runs at a time; an attempt holds the lock until it is committed or aborted.
 */
import type { PluginSource } from "../../catalog/source.js";
import { ReeveError } from "../../errors.js";
import type { Health, StopReason } from "../../plugin-api/plugin.js";
import { faultMessage } from "../../plugin-fault.js";
import type { PluginStatus } from "../contract.js";
import type { Instance, Preparation } from "../instance/instance.js";
import { PluginAttempt } from "./attempt.js";
import type { CommittedConfiguration, SupervisorDependencies } from "./dependencies.js";
import { Failures, SUPERVISION } from "./failures.js";
import { Mutex } from "./mutex.js";
import { prepareAll } from "./prepare-all.js";
import { queryHealth } from "./queries.js";
import { RetiredInstance } from "./retired-instance.js";
import { Retry } from "./retry.js";
import { Condition, statusOf } from "./status.js";
import { stopInstance } from "./stop-instance.js";

export class Supervisor {
  readonly id: string;
  readonly #dependencies: SupervisorDependencies;
  readonly #condition: Condition;
  readonly #failures = new Failures();
  readonly #lock = new Mutex();
  readonly #retry: Retry;
  readonly #retired: RetiredInstance;
  /** Instances that died, and why. */
  readonly #lost = new WeakMap<Instance, string>();
  #source: PluginSource;
  #instance: Instance | undefined;
  #running: CommittedConfiguration | undefined;
  #unhealthy = 0;
  /** The start of an instance for the committed configuration. */
  #renewal: AbortController | undefined;

  constructor(source: PluginSource, dependencies: SupervisorDependencies) {
    this.id = source.description.id;
    this.#source = source;
    this.#dependencies = dependencies;
    this.#condition = new Condition(dependencies.clock);
    this.#retry = new Retry(dependencies.clock);
    this.#retired = new RetiredInstance(dependencies, this.id);
  }

  get source(): PluginSource {
    return this.#source;
  }

  get running(): CommittedConfiguration | undefined {
    return this.#running;
  }

  /** The serving instance, if any. */
  get instance(): Instance | undefined {
    return this.#instance;
  }

  status(): PluginStatus {
    return statusOf(this.#source, this.#condition, this.#instance);
  }

  /** Begins an attempt: an instance for `source` is there when it resolves, a new one where the code is another one. */
  async open(source: PluginSource, signal: AbortSignal): Promise<PluginAttempt> {
    this.#renewal?.abort(new ReeveError("superseded", "A newer configuration replaces it."));
    const release = await this.#lock.acquire();
    this.#retry.cancel();
    const before = this.#condition.state;
    try {
      const current = source.fingerprint === this.#source.fingerprint ? this.#instance : undefined;
      const instance = current ?? (await this.#start(source, signal));
      return new PluginAttempt(this.#dependencies, {
        id: this.id,
        source,
        instance,
        fresh: current === undefined,
        preparing: () => this.#condition.move("preparing"),
        committed: (running, fault) => {
          const old = this.#commit(instance, source, running, fault);
          release();
          return old;
        },
        aborted: () => {
          this.#restoreState();
          release();
        },
        empty: () => this.#lock.hold(() => this.#removeIfEmpty()),
      });
    } catch (thrown) {
      this.#condition.move(before);
      this.#restoreState();
      release();
      throw thrown;
    }
  }

  async health(): Promise<Health> {
    const instance = this.#instance;
    if (!instance) return this.#condition.absent();
    const health = await queryHealth(this.#dependencies.clock, instance);
    if (this.#instance === instance) this.#condition.note(health);
    return health;
  }

  /** Checks health periodically; too many failures in a row fail the instance. */
  async watch(): Promise<void> {
    const instance = this.#instance;
    if (!instance) return;
    const health = await this.health();
    if (this.#instance !== instance) return;
    this.#unhealthy = health.state === "failed" ? this.#unhealthy + 1 : 0;
    if (this.#unhealthy === SUPERVISION.patience)
      await this.fail(`It was unhealthy: ${health.reason ?? "no reason given"}`);
  }

  /** The instance died or hangs: schedules a restart or quarantines the plugin. Never rejects. */
  async fail(reason: string): Promise<void> {
    const { quarantine, random, announce, signal } = this.#dependencies;
    const failed = this.#instance;
    this.#instance = undefined;
    this.#unhealthy = 0;
    const at = this.#dependencies.clock.now();
    this.#condition.failure = { reason, at };
    this.#condition.note({ state: "failed", reason });
    if (failed) this.#retired.replace(failed);
    if (signal.aborted) return;
    const verdict = this.#failures.note(at, random());
    if (verdict.kind === "quarantine") {
      this.#condition.move("quarantined");
      this.#retired.say(`The plugin "${this.id}" failed too often and is in quarantine.`);
      announce.quarantined(this.id, reason);
      await quarantine.hold(this.id, { reason, at });
      return;
    }
    this.#condition.move("backoff");
    const retryAt = at + verdict.delay;
    this.#condition.retryAt = retryAt;
    announce.failed(this.id, reason, retryAt);
    this.#retry.after(verdict.delay, () => this.#revive(this.#source));
  }

  /** Marks the plugin as quarantined since an earlier daemon. */
  quarantined(reason: string, at: number): void {
    this.#condition.failure = { reason, at };
    this.#condition.move("quarantined");
    this.#condition.note({ state: "failed", reason });
  }

  /** Accepts a configuration that takes effect when the plugin is released. */
  accept(running: CommittedConfiguration): void {
    this.#running = running;
    this.#condition.blocks = running.blocks.length;
  }

  /** A new instance in place of the one that runs. @throws what keeps it from running; the old one runs on. */
  async restart(source: PluginSource): Promise<void> {
    this.#retry.cancel();
    await this.#lock.hold(async () => {
      try {
        await this.#renew(source);
      } catch (thrown) {
        if (this.#instance || !this.#running) this.#restoreState();
        else await this.fail(faultMessage(thrown));
        throw thrown;
      }
    });
  }

  /** Starts it after a quarantine; from then on it is kept alive as ever. */
  async release(source: PluginSource): Promise<void> {
    this.#failures.forget();
    this.#condition.failure = undefined;
    this.#dependencies.announce.released(this.id);
    await this.#revive(source);
  }

  /** Stops it for good. Waits for the current task until `signal` aborts. */
  async stop(reason: StopReason, signal: AbortSignal): Promise<void> {
    this.#retry.cancel();
    const release = await this.#lock.acquire(signal);
    await this.#retire(reason, signal);
    release();
  }

  /** A newer configuration may have added blocks meanwhile. */
  async #removeIfEmpty(): Promise<void> {
    if (this.#running?.blocks.length !== 0) return;
    this.#retry.cancel();
    await this.#retire("removed");
  }

  async #retire(reason: StopReason, signal?: AbortSignal): Promise<void> {
    const instance = this.#instance;
    const retired = this.#retired.take();
    this.#instance = undefined;
    this.#running = undefined;
    this.#condition.blocks = 0;
    if (instance) {
      this.#condition.move("stopping");
      await stopInstance(this.#dependencies, this.id, instance, reason, signal);
      this.#dependencies.announce.stopped(this.id, reason);
    }
    if (retired) await stopInstance(this.#dependencies, this.id, retired, "failed");
    this.#condition.move("stopped");
    this.#condition.note({ state: "healthy" });
  }

  async #start(source: PluginSource, signal: AbortSignal): Promise<Instance> {
    if (!this.#instance) this.#condition.move("starting");
    const instance = await this.#dependencies.start(source, signal);
    void instance.gone.then((why) => {
      this.#lost.set(instance, `It ${why}.`);
      if (this.#instance === instance) void this.fail(`It ${why}.`);
    });
    return instance;
  }

  /** Synchronous. Returns the instance to stop. */
  #commit(
    instance: Instance,
    source: PluginSource,
    running: CommittedConfiguration,
    fault: unknown,
  ): Instance | undefined {
    const lost = this.#lost.get(instance);
    if (lost !== undefined && this.#retry.pending) {
      // It served, died after it had prepared, and is started again anyway: with this configuration.
      this.#source = source;
      this.accept(running);
      return undefined;
    }
    const old = this.#takeOver(instance, source, running);
    if ((lost ?? fault) !== undefined) void this.fail(lost ?? faultMessage(fault));
    return old;
  }

  /** Synchronous: makes `instance` the serving one and returns the previous one. */
  #takeOver(
    instance: Instance,
    source: PluginSource,
    running: CommittedConfiguration,
  ): Instance | undefined {
    const isNew = this.#instance !== instance;
    const old = isNew ? (this.#instance ?? this.#retired.take()) : undefined;
    this.#instance = instance;
    this.#source = source;
    this.#unhealthy = 0;
    this.accept(running);
    this.#condition.move("running");
    this.#condition.note({ state: "healthy" });
    this.#dependencies.quarantine.clearSuspicion(this.id);
    if (isNew) this.#dependencies.announce.started(this.id, source.isolation);
    return old;
  }

  /** Restores the state after an attempt that failed, and schedules a restart where one was due. */
  #restoreState(): void {
    if (this.#instance) this.#condition.move("running");
    else if (this.#condition.failure && (this.#running?.blocks.length ?? 0) > 0) {
      this.#condition.move("backoff");
      if (!this.#retry.pending) this.#retry.after(0, () => this.#revive(this.#source));
    } else if (this.#condition.state !== "quarantined") this.#condition.move("stopped");
  }

  /** Never rejects. */
  async #revive(source: PluginSource): Promise<void> {
    await this.#lock.hold(async () => {
      if (this.#instance || this.#dependencies.signal.aborted) return;
      if ((this.#running?.blocks.length ?? 0) === 0) return this.#condition.move("stopped");
      this.#condition.restarts += 1;
      try {
        await this.#renew(source);
      } catch (thrown) {
        const isSuperseded = thrown instanceof ReeveError && thrown.code === "superseded";
        if (!isSuperseded) await this.fail(faultMessage(thrown));
      }
    });
  }

  /** Starts an instance for the committed configuration and makes it the serving one. */
  async #renew(source: PluginSource): Promise<void> {
    const running = this.#running;
    if (!running) throw new ReeveError("plugin_not_configured", "No block of it is configured.");
    this.#renewal = new AbortController();
    const signal = AbortSignal.any([this.#dependencies.signal, this.#renewal.signal]);
    let prepared: Preparation;
    const instance = await this.#start(source, signal);
    try {
      prepared = await prepareAll(this.#dependencies, source, instance, running, signal);
      prepared.commit();
    } catch (thrown) {
      await stopInstance(this.#dependencies, this.id, instance, "failed", undefined, {
        unused: true,
      });
      throw thrown;
    }
    const old = this.#takeOver(instance, source, running);
    await prepared.release();
    if (old) await stopInstance(this.#dependencies, this.id, old, "replaced");
  }
}
