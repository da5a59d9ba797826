/**
 * The durable state of supervision: plugins in quarantine until their release, and plugins
 * that were starting or preparing when the daemon died.
 */
import { errorMessage } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { Records } from "../../services/contract.js";

export interface Quarantined {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Deaths of the daemon in a row, during one plugin's start, that blame the plugin. One may be anybody's doing. */
const BLAMED = 2;

export class Quarantine {
  readonly #records: Records;
  readonly #log: Log;
  readonly #held = new Map<string, Quarantined>();
  /** Deaths that happened while the plugin was at risk. */
  readonly #suspects = new Map<string, number>();

  constructor(records: Records, log: Log) {
    this.#records = records;
    this.#log = log;
  }

  /** Reads what is remembered; a plugin that killed the daemon repeatedly is held from now on. Called once. */
  async open(now: number): Promise<void> {
    for (const { key, value } of await this.#records.list<Quarantined>({ prefix: "held:" })) {
      this.#held.set(key.slice("held:".length), value);
    }
    for (const { key, value } of await this.#records.list<number>({ prefix: "risk:" })) {
      const plugin = key.slice("risk:".length);
      if (value < BLAMED) this.#suspects.set(plugin, value);
      else {
        const reason = `The daemon died ${value} times in a row while it was being started.`;
        await this.hold(plugin, { reason, at: now });
      }
    }
  }

  held(plugin: string): Quarantined | undefined {
    return this.#held.get(plugin);
  }

  /** Was there when the daemon died: start it alone, so that the next death is not blamed on others. */
  isSuspect(plugin: string): boolean {
    return this.#suspects.has(plugin);
  }

  /** It is held even if that cannot be remembered; never rejects. */
  async hold(plugin: string, why: Quarantined): Promise<void> {
    this.#held.set(plugin, why);
    this.clearSuspicion(plugin);
    try {
      await this.#records.set(`held:${plugin}`, why);
      await this.#records.delete(`risk:${plugin}`);
    } catch (thrown) {
      this.#log.error(`The quarantine of ${plugin} ends with the daemon: ${errorMessage(thrown)}`);
    }
  }

  async release(plugin: string): Promise<void> {
    this.#held.delete(plugin);
    this.clearSuspicion(plugin);
    await this.#records.delete(`held:${plugin}`);
    await this.#records.delete(`risk:${plugin}`);
  }

  /** While `work` runs, the daemon's death is noted against the plugin. */
  async atRisk<Result>(plugin: string, work: () => Promise<Result>): Promise<Result> {
    await this.#records.set(`risk:${plugin}`, (this.#suspects.get(plugin) ?? 0) + 1, "daemon");
    try {
      return await work();
    } finally {
      await this.#records.delete(`risk:${plugin}`, "daemon");
    }
  }

  /** It runs: earlier deaths were not its doing. */
  clearSuspicion(plugin: string): void {
    this.#suspects.delete(plugin);
  }
}
