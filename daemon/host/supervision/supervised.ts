/**
 * One plugin, kept alive: its instance, its running part of the configuration, and what happens when it fails. One
 * thing is done with it at a time; an attempt holds it until it is committed or aborted.
 */
import type { PluginSource } from "../../catalog/source.js";
import { ReeveError, sentence } from "../../errors.js";
import type { Panel } from "../../plugin-api/panel.js";
import type { Health, StopReason } from "../../plugin-api/plugin.js";
import type { PluginStatus } from "../contract.js";
import { DEADLINES, within } from "../deadline.js";
import type { Instance } from "../instance/instance.js";
import { askHealth } from "./ask-health.js";
import { Attempt } from "./attempt.js";
import type { Circumstances, Running } from "./circumstances.js";
import { end } from "./end.js";
import { Failures } from "./failures.js";
import { Lock } from "./lock.js";
import { prepareAll } from "./prepare-all.js";
import { Condition, statusOf } from "./status.js";

/** Unhealthy answers in a row that count as a failure. */
const PATIENCE = 3;

export class Supervised {
  readonly id: string;
  readonly #around: Circumstances;
  readonly #condition: Condition;
  readonly #failures = new Failures();
  readonly #lock = new Lock();
  #source: PluginSource;
  #instance: Instance | undefined;
  /** Died and holds its addresses until somebody takes them over. */
  #ghost: Instance | undefined;
  #running: Running | undefined;
  #retry: AbortController | undefined;
  #unhealthy = 0;

  constructor(source: PluginSource, around: Circumstances) {
    this.id = source.description.id;
    this.#source = source;
    this.#around = around;
    this.#condition = new Condition(around.clock.now());
  }

  get source(): PluginSource {
    return this.#source;
  }

  get running(): Running | undefined {
    return this.#running;
  }

  /** The instance that serves, if one does. */
  get instance(): Instance | undefined {
    return this.#instance;
  }

  status(): PluginStatus {
    return statusOf(this.#source, this.#condition, this.#instance);
  }

  /** Begins an attempt: an instance for `source` is there when it resolves, a new one where the code is another one. */
  async open(source: PluginSource, signal: AbortSignal): Promise<Attempt> {
    const release = await this.#lock.acquire();
    this.#retry?.abort();
    const before = this.#condition.state;
    try {
      const current = source.fingerprint === this.#source.fingerprint ? this.#instance : undefined;
      const instance = current ?? (await this.#start(source, signal));
      return new Attempt(this.#around, {
        id: this.id,
        source,
        instance,
        fresh: current === undefined,
        preparing: () => this.#move("preparing"),
        committed: (running, fault) => {
          const old = this.#takeOver(instance, source, running);
          release();
          if (fault !== undefined) void this.fail(sentence(fault));
          return old;
        },
        aborted: () => {
          this.#settle();
          release();
        },
        empty: () =>
          this.#lock.hold(async () => {
            if (!this.#running?.blocks.length) await this.stop("removed");
          }),
      });
    } catch (thrown) {
      this.#move(before);
      this.#settle();
      release();
      throw thrown;
    }
  }

  async health(): Promise<Health> {
    const instance = this.#instance;
    const { state, failure } = this.#condition;
    if (!instance) {
      const reason = failure?.reason ?? "It is not running.";
      return { state: state === "stopped" ? "healthy" : "failed", reason };
    }
    const health = await askHealth(this.#around.clock, instance);
    if (this.#instance === instance) this.#condition.note(health, this.#now);
    return health;
  }

  /** Asks for its health on the host's own account: too many bad answers in a row end it. */
  async watch(): Promise<void> {
    const instance = this.#instance;
    if (!instance) return;
    const health = await this.health();
    if (this.#instance !== instance) return;
    this.#unhealthy = health.state === "failed" ? this.#unhealthy + 1 : 0;
    if (this.#unhealthy < PATIENCE) return;
    await this.fail(`It was not healthy: ${health.reason ?? "it gave no reason"}`);
  }

  async panels(): Promise<readonly Panel[]> {
    const instance = this.#instance;
    if (!instance) return [];
    const { clock } = this.#around;
    return within(clock, DEADLINES.panels, "give its panels", undefined, () => instance.panels());
  }

  /** Its instance died, or is no use any more. */
  async fail(reason: string): Promise<void> {
    const { quarantine, random, announce } = this.#around;
    const failed = this.#instance;
    this.#instance = undefined;
    this.#unhealthy = 0;
    const at = this.#now;
    this.#condition.failure = { reason, at };
    this.#condition.note({ state: "failed", reason }, at);
    if (failed) this.#bury(failed);
    const verdict = this.#failures.note(at, random());
    if (verdict.kind === "quarantine") {
      this.#move("quarantined");
      this.#ghost?.suspend(`The plugin "${this.id}" failed too often and is in quarantine.`);
      announce.quarantined(this.id, reason);
      await quarantine.hold(this.id, { reason, at });
      return;
    }
    this.#move("backoff");
    const retryAt = at + verdict.delay;
    this.#condition.retryAt = retryAt;
    announce.failed(this.id, reason, retryAt);
    this.#reviveAfter(verdict.delay);
  }

  /** Kept down from now on, for what is known already. */
  quarantined(reason: string, at: number): void {
    this.#condition.failure = { reason, at };
    this.#move("quarantined");
    this.#condition.note({ state: "failed", reason }, this.#now);
  }

  /** Accepts a configuration that takes effect when the plugin is released. */
  accept(running: Running): void {
    this.#running = running;
    this.#condition.blocks = running.blocks.length;
  }

  /** A new instance in place of the one that runs. @throws what keeps it from running; the old one runs on. */
  async restart(source: PluginSource): Promise<void> {
    this.#retry?.abort();
    await this.#lock.hold(async () => {
      try {
        const old = await this.#renew(source);
        if (old) await end(this.#around, this.id, old, "replaced");
      } catch (thrown) {
        this.#settle();
        throw new ReeveError(
          "plugin_restart_failed",
          `The plugin "${this.id}" could not be started: ${sentence(thrown)}`,
          { cause: thrown },
        );
      }
    });
  }

  /** Starts it after a quarantine; from then on it is kept alive as ever. */
  async release(source: PluginSource): Promise<void> {
    this.#failures.forget();
    this.#condition.failure = undefined;
    this.#around.announce.released(this.id);
    await this.#revive(source);
  }

  async stop(reason: StopReason, signal?: AbortSignal): Promise<void> {
    this.#retry?.abort();
    const [instance, ghost] = [this.#instance, this.#ghost];
    this.#instance = undefined;
    this.#ghost = undefined;
    this.#running = undefined;
    this.#condition.blocks = 0;
    if (instance) {
      this.#move("stopping");
      await end(this.#around, this.id, instance, reason, signal);
      this.#around.announce.stopped(this.id, reason);
    }
    await ghost?.leave(false);
    this.#move("stopped");
    this.#condition.note({ state: "healthy" }, this.#now);
  }

  get #now(): number {
    return this.#around.clock.now();
  }

  #move(state: PluginStatus["state"]): void {
    this.#condition.move(state, this.#now);
  }

  async #start(source: PluginSource, signal: AbortSignal | undefined): Promise<Instance> {
    if (!this.#instance) this.#move("starting");
    const instance = await this.#around.start(source, signal);
    void instance.gone.then((why) => {
      if (this.#instance === instance) void this.fail(`It ${why}.`);
    });
    return instance;
  }

  /** Synchronous: the instance serves from now on. Gives the one that served until now. */
  #takeOver(instance: Instance, source: PluginSource, running: Running): Instance | undefined {
    const old = this.#instance === instance ? undefined : (this.#instance ?? this.#ghost);
    if (old === this.#ghost) this.#ghost = undefined;
    const isNew = this.#instance !== instance;
    this.#instance = instance;
    this.#source = source;
    this.#unhealthy = 0;
    this.accept(running);
    this.#move("running");
    this.#condition.note({ state: "healthy" }, this.#now);
    this.#around.quarantine.absolve(this.id);
    if (isNew) this.#around.announce.started(this.id, source.isolation);
    return old;
  }

  /** After an attempt that came to nothing: as before, and still to be revived where it was. */
  #settle(): void {
    if (this.#instance) this.#move("running");
    else if (this.#condition.failure && (this.#running?.blocks.length ?? 0) > 0) {
      this.#move("backoff");
      this.#reviveAfter(0);
    } else if (this.#condition.state !== "quarantined") this.#move("stopped");
  }

  #reviveAfter(delay: number): void {
    this.#retry?.abort();
    const retry = new AbortController();
    this.#retry = retry;
    this.#around.clock.sleep(delay, retry.signal).then(
      () => this.#revive(this.#source),
      () => undefined,
    );
  }

  async #revive(source: PluginSource): Promise<void> {
    await this.#lock.hold(async () => {
      if (this.#instance || this.#around.signal.aborted) return;
      if ((this.#running?.blocks.length ?? 0) === 0) return this.#move("stopped");
      this.#condition.restarts += 1;
      try {
        const old = await this.#renew(source);
        await old?.leave(true);
      } catch (thrown) {
        await this.fail(sentence(thrown));
      }
    });
  }

  /** Starts an instance for what is committed and lets it take over. Gives whoever held the addresses until now. */
  async #renew(source: PluginSource): Promise<Instance | undefined> {
    const running = this.#running;
    if (!running) throw new ReeveError("plugin_not_configured", "No block of it is configured.");
    const instance = await this.#start(source, undefined);
    const preparing = prepareAll(this.#around, source, instance, running);
    const prepared = await preparing.catch(async (thrown: unknown) => {
      await end(this.#around, this.id, instance, "failed");
      throw thrown;
    });
    prepared.commit();
    const old = this.#takeOver(instance, source, running);
    await prepared.release();
    return old;
  }

  /** Its addresses stay and say that nobody is there. */
  #bury(instance: Instance): void {
    instance.suspend(`The plugin "${this.id}" is being restarted.`);
    const older = this.#ghost;
    this.#ghost = instance;
    void end(this.#around, this.id, instance, "failed", undefined, { keepDoors: true });
    void older?.leave(true);
  }
}
