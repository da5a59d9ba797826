/** One plugin's part in an attempt to change what runs. Ends with exactly one of `commit` and `abort`. */
import type { PluginSource } from "../../catalog/source.js";
import type { PluginReport } from "../../config/program.js";
import { faultMessage } from "../../plugin-fault.js";
import { DEADLINES, withDeadline } from "../deadline.js";
import type { Instance, InstanceConfiguration, Preparation } from "../instance/instance.js";
import type { CommittedConfiguration, SupervisorDependencies } from "./dependencies.js";
import { stopInstance } from "./stop-instance.js";

export interface AttemptOptions {
  readonly id: string;
  readonly source: PluginSource;
  readonly instance: Instance;
  /** The instance was made for this attempt. */
  readonly fresh: boolean;
  preparing(): void;
  /** `fault` is what the plugin's own commit threw. Returns the instance to stop. */
  committed(running: CommittedConfiguration, fault: unknown): Instance | undefined;
  aborted(): void;
  /** The plugin has no blocks left, unless a pending attempt adds some. */
  empty(): Promise<void>;
}

export class PluginAttempt {
  readonly #dependencies: SupervisorDependencies;
  readonly #options: AttemptOptions;
  #preparation: Preparation | undefined;
  #running: CommittedConfiguration | undefined;
  #old: Instance | undefined;

  constructor(dependencies: SupervisorDependencies, options: AttemptOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  get id(): string {
    return this.#options.id;
  }

  get instance(): Instance {
    return this.#options.instance;
  }

  /** Rejects with what the plugin threw, or for being late. Reports of errors refuse it, too. */
  async prepare(
    part: InstanceConfiguration,
    signal: AbortSignal,
  ): Promise<readonly PluginReport[]> {
    const { source, instance, fresh, preparing } = this.#options;
    preparing();
    const added = () => new Map(part.blocks.map(({ key }) => [key, "added"] as const));
    const own: InstanceConfiguration = fresh ? { ...part, changes: added() } : part;
    this.#running = { generation: part.generation, blocks: part.blocks };
    this.#preparation = await this.#dependencies.prepare(source, instance, own, signal);
    return this.#preparation.reports;
  }

  /** Synchronous, and never throws: a plugin that does is contained and restarted. */
  commit(): void {
    let fault: unknown;
    try {
      this.#preparation?.commit();
    } catch (thrown) {
      fault = thrown ?? new Error("It threw nothing.");
    }
    if (this.#running) this.#old = this.#options.committed(this.#running, fault);
  }

  /** Also ends an attempt that never got as far as being prepared. */
  async abort(): Promise<void> {
    const { id, instance, fresh, aborted } = this.#options;
    try {
      await this.#logFailure("discard what it prepared", () => this.#preparation?.abort());
      // It never served.
      if (fresh)
        await stopInstance(this.#dependencies, id, instance, "replaced", undefined, {
          unused: true,
        });
    } finally {
      aborted();
    }
  }

  /** The previous generation is no longer needed. */
  async release(): Promise<void> {
    await this.#logFailure("release what it kept", () => this.#preparation?.release());
    if (this.#old) await stopInstance(this.#dependencies, this.id, this.#old, "replaced");
    if (this.#running?.blocks.length === 0) await this.#options.empty();
  }

  async #logFailure(what: string, work: () => Promise<void> | undefined): Promise<void> {
    const { clock, kit } = this.#dependencies;
    try {
      await withDeadline(clock, DEADLINES.release, what, undefined, work);
    } catch (thrown) {
      kit.log.warn(`The plugin ${this.id}: ${faultMessage(thrown)}`);
    }
  }
}
