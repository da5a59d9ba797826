/** The running plugin: its sandboxes, reloads of its configuration, and its end. */
import type {
  Health,
  Panel,
  PluginContext,
  PluginInstance,
  PrepareAttempt,
  Prepared,
} from "reeve/plugin";
import type { blocks, FirewallConfiguration } from "../blocks.js";
import { lackOf, missingPackages } from "../engine/requirements.js";
import { FirewallError } from "../errors.js";
import { QuestionBoard } from "../proxy/question-board.js";
import { EarlierChanges } from "./earlier-changes.js";
import { declareMetrics } from "./metrics.js";
import { NamespacePool } from "./namespace-pool.js";
import { firewallPanels } from "./panels.js";
import { define, InvalidAttribute, type SandboxDefinition } from "./sandbox-definition.js";
import { type RuntimeServices, SandboxRuntime } from "./sandbox-runtime.js";
import { Traffic } from "./traffic.js";

/** Idle namespaces for each kind of sandbox. */
const poolSize = 2;
const mountsMs = 5000;

export class FirewallInstance implements PluginInstance<typeof blocks> {
  readonly traffic = new Traffic();
  readonly context: PluginContext;
  readonly board: QuestionBoard;
  readonly #services: RuntimeServices;
  readonly #pool: NamespacePool;
  #sandboxes: ReadonlyMap<string, SandboxRuntime> = new Map();
  /** Removed from the configuration, with commands still running. */
  readonly #removed = new Set<SandboxRuntime>();
  #stopping = false;
  #problem: string | undefined;

  constructor(context: PluginContext) {
    this.context = context;
    this.board = new QuestionBoard({ emit: (type, data) => void context.events.emit(type, data) });
    this.#pool = new NamespacePool({
      directory: context.directories.temporary,
      size: poolSize,
      mountsMs,
      reportFailure: (thrown) => this.#reportFailure(thrown),
    });
    const metrics = declareMetrics(context.metrics);
    this.#services = {
      context,
      metrics,
      pool: this.#pool,
      traffic: this.traffic,
      board: this.board,
      changes: new EarlierChanges(context),
    };
    this.#services.changes.reportLeft();
    context.signal.addEventListener("abort", () => this.#killAll(), { once: true });
  }

  get sandboxes(): readonly SandboxRuntime[] {
    return [...this.#sandboxes.values()];
  }

  /** @throws {FirewallError} `unknown_sandbox`, `stopping` */
  sandbox(name: string): SandboxRuntime {
    if (this.#stopping) throw new FirewallError("stopping", "The daemon is stopping.");
    const found = this.sandboxes.find((sandbox) => sandbox.name === name);
    if (found) return found;
    throw new FirewallError(
      "unknown_sandbox",
      `There is no sandbox "${name}" in the configuration.`,
    );
  }

  prepare(
    next: FirewallConfiguration,
    _previous: FirewallConfiguration | undefined,
    { changes, report }: PrepareAttempt,
  ): Prepared {
    const definitions = new Map<string, SandboxDefinition>();
    for (const block of next.blocks.sandbox) {
      const known = this.#sandboxes.get(block.key);
      if (known && changes.get(block.key) === "unchanged") {
        definitions.set(block.key, known.definition);
        continue;
      }
      try {
        definitions.set(block.key, define(block, this.context.directories));
      } catch (thrown) {
        if (!(thrown instanceof InvalidAttribute)) throw thrown;
        report(block.rangeOf(thrown.attribute), thrown.message, { code: "unusable" });
      }
    }
    return { commit: () => this.#commit(definitions) };
  }

  /** Running commands may finish until `signal` aborts. */
  async stop(_reason: string, signal: AbortSignal): Promise<void> {
    this.#stopping = true;
    if (signal.aborted) this.#killAll();
    else signal.addEventListener("abort", () => this.#killAll(), { once: true });
    await Promise.all([this.#pool.close(), ...this.#all().map((sandbox) => sandbox.idle())]);
    for (const sandbox of this.#all()) sandbox.dispose();
  }

  health(): Health {
    const { problem } = this;
    return problem === undefined ? { state: "healthy" } : { state: "degraded", reason: problem };
  }

  panels(): readonly Panel[] {
    return firewallPanels(this.sandboxes, this.traffic, this.board, this.context.clock.now());
  }

  /** Why this machine cannot start sandboxes now. */
  get problem(): string | undefined {
    return lackOf() ?? (this.#pool.size > 0 ? undefined : this.#problem);
  }

  #commit(definitions: ReadonlyMap<string, SandboxDefinition>): void {
    const before = this.#sandboxes;
    this.#services.changes.report();
    this.#sandboxes = new Map(
      [...definitions].map(([key, definition]) => {
        const sandbox = before.get(key) ?? new SandboxRuntime(definition, this.#services);
        sandbox.reconfigure(definition);
        return [key, sandbox] as const;
      }),
    );
    for (const [key, sandbox] of before)
      if (!this.#sandboxes.has(key)) void this.#disposeWhenIdle(sandbox);
    if (missingPackages().length === 0) {
      this.#pool.keep([...definitions.values()].map(({ plan }) => plan));
    }
  }

  async #disposeWhenIdle(sandbox: SandboxRuntime): Promise<void> {
    this.#removed.add(sandbox);
    await sandbox.idle();
    if (!this.#removed.delete(sandbox)) return;
    sandbox.dispose();
  }

  #all(): readonly SandboxRuntime[] {
    return [...this.#sandboxes.values(), ...this.#removed];
  }

  #killAll(): void {
    for (const sandbox of this.#all()) sandbox.cutOff();
  }

  #reportFailure(thrown: unknown): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    this.#problem = reason.endsWith(".") ? reason : `${reason}.`;
    this.context.log.warn("Cannot create a sandbox in advance", { reason });
  }
}
