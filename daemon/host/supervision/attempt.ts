/** One plugin's part in an attempt to change what runs. Ends with exactly one of `commit` and `abort`. */
import type { PluginSource } from "../../catalog/source.js";
import type { PluginReport } from "../../config/program.js";
import { errorMessage } from "../../errors.js";
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
  /** `fault` is what the plugin's own commit threw. Gives the instance that nobody needs any more. */
  committed(running: CommittedConfiguration, fault: unknown): Instance | undefined;
  aborted(): void;
  /** No block is left of it; unless an attempt that is under way gives it some again. */
  empty(): Promise<void>;
}

export class Attempt {
  readonly #around: SupervisorDependencies;
  readonly #options: AttemptOptions;
  #preparation: Preparation | undefined;
  #running: CommittedConfiguration | undefined;
  #old: Instance | undefined;

  constructor(around: SupervisorDependencies, options: AttemptOptions) {
    this.#around = around;
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
    this.#preparation = await this.#around.prepare(source, instance, own, signal);
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
      await this.#settle("throw away what it prepared", () => this.#preparation?.abort());
      if (fresh) await stopInstance(this.#around, id, instance, "replaced");
    } finally {
      aborted();
    }
  }

  /** There is no way back any more. */
  async release(): Promise<void> {
    await this.#settle("let go of what it kept", () => this.#preparation?.release());
    if (this.#old) await stopInstance(this.#around, this.id, this.#old, "replaced");
    if (this.#running?.blocks.length === 0) await this.#options.empty();
  }

  async #settle(what: string, work: () => Promise<void> | undefined): Promise<void> {
    const { clock, kit } = this.#around;
    try {
      await withDeadline(clock, DEADLINES.settle, what, undefined, work);
    } catch (thrown) {
      kit.log.warn(`The plugin ${this.id}: ${errorMessage(thrown)}`);
    }
  }
}
