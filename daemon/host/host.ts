/** Runs plugins as `host/contract.ts` promises. Knows no plugin by name. */
import { dirname } from "node:path";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { Catalog } from "../catalog/catalog.js";
import type { PluginSource } from "../catalog/source.js";
import { defaultSettings } from "../config/daemon-block.js";
import type { HostProbe, Plan, Program } from "../config/program.js";
import { ServiceRegistry } from "../context/service-registry.js";
import { ReeveError } from "../errors.js";
import type { ControlMounts, Listeners } from "../http/contract.js";
import type { Files } from "../plugin-api/files.js";
import type { Panel } from "../plugin-api/panel.js";
import type { Health } from "../plugin-api/plugin.js";
import { faultMessage } from "../plugin-fault.js";
import type { DaemonServices } from "../services/contract.js";
import { announcements } from "./announce.js";
import type { PluginHost, PluginStatus, PrepareOutcome } from "./contract.js";
import { DEADLINES, withDeadline } from "./deadline.js";
import { prepareGeneration } from "./generation.js";
import { hostProbe } from "./probe.js";
import { type SecretSources, secretResolver } from "./secret-sources.js";
import { Sharing } from "./sharing.js";
import { instanceStarter } from "./start.js";
import type { PluginAttempt } from "./supervision/attempt.js";
import type { SupervisorDependencies } from "./supervision/dependencies.js";
import { OrphanProcesses } from "./supervision/orphan-processes.js";
import { Quarantine } from "./supervision/quarantine.js";
import { askPanels } from "./supervision/queries.js";
import { Condition, statusOf } from "./supervision/status.js";
import { Supervisor } from "./supervision/supervisor.js";

export interface HostOptions {
  readonly kit: DaemonServices;
  readonly listeners: Listeners;
  readonly mounts: ControlMounts;
  readonly files: Files;
  readonly catalog: Catalog;
  /** Absolute path of the configuration's root file. */
  readonly configuration: string;
  /** Where `secret("env:…")` looks. @default the process's own */
  readonly environment?: NodeJS.ProcessEnv;
  /** Milliseconds between two questions about every plugin's health. @default 5000 */
  readonly healthInterval?: number;
  /** Milliseconds that a plugin has after the grace period, to record what was cut off. @default 1000 */
  readonly lastRites?: number;
}

/** A host whose plugins can be made to fail, for tests. */
export interface FailableHost extends PluginHost {
  /** Fails the plugin's instance with `reason`, a sentence. */
  fail(id: string, reason: string): Promise<void>;
}

export function createHost(options: HostOptions): FailableHost {
  return new Host(options);
}

class Host implements FailableHost {
  readonly catalog: Catalog;
  readonly probe: HostProbe;
  readonly #options: HostOptions;
  readonly #plugins = new Map<string, Supervisor>();
  readonly #quarantine: Quarantine;
  readonly #orphans: OrphanProcesses;
  readonly #sharing: Sharing;
  readonly #stopped = new AbortController();
  readonly #dependencies: SupervisorDependencies;
  #opened: Promise<void> | undefined;
  #watching: Promise<void> | undefined;
  #program: Program | undefined;
  #generation = 0;
  /** Of the newest configuration that was prepared. */
  #sources: ReadonlyMap<string, PluginSource> = new Map();

  constructor(options: HostOptions) {
    const { kit, catalog } = options;
    this.catalog = catalog;
    this.probe = hostProbe({
      environment: options.environment ?? process.env,
      mask: kit.mask,
      own: () => options.listeners.own(),
    });
    this.#options = options;
    const records = kit.records("host");
    this.#quarantine = new Quarantine(records, kit.log);
    this.#orphans = new OrphanProcesses(records);
    this.#sharing = new Sharing(kit);
    const announce = announcements(kit);
    this.#dependencies = {
      kit,
      clock: kit.clock,
      quarantine: this.#quarantine,
      signal: this.#stopped.signal,
      random: Math.random,
      lastRites: options.lastRites ?? DEADLINES.lastRites,
      patience: () => this.#program?.daemon.drainTimeout ?? defaultSettings.drainTimeout,
      announce,
      ...instanceStarter({
        ...options,
        announce,
        clock: kit.clock,
        configuration: dirname(options.configuration),
        registry: new ServiceRegistry(),
        generation: () => this.#generation,
        quarantine: this.#quarantine,
        orphans: this.#orphans,
      }),
    };
  }

  async prepare(
    next: Program,
    plan: Plan,
    generation: number,
    signal: AbortSignal,
  ): Promise<PrepareOutcome> {
    this.#stopped.signal.throwIfAborted();
    this.#opened ??= this.#open();
    await this.#opened;
    const refusal = this.#program === undefined && (await this.#share(next, signal));
    if (refusal) return { ok: false, reason: refusal.message, diagnostics: [refusal] };
    const sources = await this.catalog.sources(next.declarations, next.root);
    this.#sources = sources;
    return prepareGeneration({
      program: next,
      plan,
      generation,
      signal,
      touched: this.#touched(plan, next, sources),
      quarantine: this.#quarantine,
      resolver: (attempts) => secretResolver(this.#secrets(attempts, sources)),
      committing: (program) => {
        this.#program = program;
        this.#generation = generation;
        this.#watching ??= this.#watch();
      },
      released: async () => undefined,
    });
  }

  status(): readonly PluginStatus[] {
    const { clock } = this.#options.kit;
    const dormant = [...this.#sources.values()]
      .filter(({ description }) => !this.#plugins.has(description.id))
      .map((source) => statusOf(source, new Condition(clock), undefined));
    return [...this.#plugins.values()].map((plugin) => plugin.status()).concat(dormant);
  }

  async health(): Promise<ReadonlyMap<string, Health>> {
    const active = [...this.#plugins.values()].filter(({ running }) => running !== undefined);
    return new Map(
      await Promise.all(active.map(async (plugin) => [plugin.id, await plugin.health()] as const)),
    );
  }

  /** @throws ReeveError `shutting_down`: panels of plugins that stop are no news about them */
  async panels(): Promise<
    ReadonlyArray<{ readonly plugin: string; readonly panels: readonly Panel[] }>
  > {
    const { signal } = this.#stopped;
    signal.throwIfAborted();
    const shown = [...this.#plugins.values()].flatMap(({ id, instance }) =>
      instance ? [{ id, instance }] : [],
    );
    const { clock } = this.#options.kit;
    const all = await Promise.all(
      shown.map(async ({ id, instance }) => ({
        plugin: id,
        panels: await askPanels(clock, instance),
      })),
    );
    signal.throwIfAborted();
    return all;
  }

  async restart(id: string): Promise<void> {
    const plugin = this.#find(id);
    if (this.#quarantine.held(id)) {
      throw new ReeveError("plugin_quarantined", `The plugin "${id}" is in quarantine.`, {
        help: `Release it: reeve plugin release ${id}`,
      });
    }
    try {
      await plugin.restart(await this.#sourceOf(plugin));
    } catch (thrown) {
      const message = `The plugin "${id}" could not be started: ${faultMessage(thrown)}`;
      throw new ReeveError("plugin_restart_failed", message, { cause: thrown });
    }
  }

  async release(id: string): Promise<void> {
    const plugin = this.#find(id);
    if (!this.#quarantine.held(id)) {
      throw new ReeveError("plugin_not_quarantined", `The plugin "${id}" is not in quarantine.`);
    }
    await this.#quarantine.release(id);
    await plugin.release(await this.#sourceOf(plugin));
  }

  async fail(id: string, reason: string): Promise<void> {
    await this.#find(id).fail(reason);
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopped.abort(new ReeveError("shutting_down", "The daemon is stopping."));
    await Promise.all([...this.#plugins.values()].map((plugin) => plugin.stop("shutdown", signal)));
    await this.#watching;
    await this.catalog.close();
  }

  /** No plugin runs yet that could resolve a secret. */
  #share({ daemon }: Program, signal: AbortSignal): Promise<Diagnostic | undefined> {
    const { kit, environment = process.env } = this.#options;
    const ask = async (plugin: string): Promise<never> => {
      throw new Error(`the plugin ${plugin} is asked only when the store is open`);
    };
    const resolver = secretResolver({ environment, mask: kit.mask, ask });
    return this.#sharing.adopt(daemon, resolver, signal);
  }

  async #open(): Promise<void> {
    await this.#quarantine.open(this.#options.kit.clock.now());
    await this.#orphans.open();
  }

  /** Plugins with a changed block or with changed code. */
  #touched(plan: Plan, next: Program, sources: ReadonlyMap<string, PluginSource>) {
    const changed = new Set(
      plan.changes.filter(({ action }) => action !== "unchanged").map(({ plugin }) => plugin),
    );
    for (const { plugin } of next.blocks.values()) {
      const running = this.#plugins.get(plugin);
      if (running?.running === undefined) changed.add(plugin);
      else if (running.source.fingerprint !== sources.get(plugin)?.fingerprint) changed.add(plugin);
    }
    return [...changed].flatMap((id) => {
      const source = sources.get(id) ?? this.#plugins.get(id)?.source;
      if (!source) return [];
      const plugin = this.#plugins.get(id) ?? new Supervisor(source, this.#dependencies);
      this.#plugins.set(id, plugin);
      return { plugin, source };
    });
  }

  #secrets(
    attempts: readonly PluginAttempt[],
    sources: ReadonlyMap<string, PluginSource>,
  ): SecretSources {
    const { kit, environment = process.env } = this.#options;
    return {
      environment,
      mask: kit.mask,
      ask: async (name, reference) => {
        const source = [...sources.values()].find(
          ({ namespace, description }) => (namespace ?? description.id) === name,
        );
        const id = source?.description.id ?? name;
        const instance =
          attempts.find((attempt) => attempt.id === id)?.instance ??
          this.#plugins.get(id)?.instance;
        if (!instance) throw new Error(`the plugin "${name}" does not run: it has no block`);
        return withDeadline(kit.clock, DEADLINES.secret, "give the secret", undefined, (signal) =>
          instance.resolveSecret(reference, signal),
        );
      },
    };
  }

  #find(id: string): Supervisor {
    const plugin = this.#plugins.get(id);
    if (plugin) return plugin;
    throw new ReeveError("no_such_plugin", `The running configuration has no plugin "${id}".`, {
      help: "List plugins: reeve plugin list",
    });
  }

  /** The code as it is on the disk now. */
  async #sourceOf(plugin: Supervisor): Promise<PluginSource> {
    if (!this.#program) return plugin.source;
    const { declarations, root } = this.#program;
    return (await this.catalog.sources(declarations, root)).get(plugin.id) ?? plugin.source;
  }

  /** Until the host stops. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    const { kit, healthInterval = 5_000 } = this.#options;
    while (!signal.aborted) {
      await kit.clock.sleep(healthInterval, signal).catch(() => undefined);
      if (signal.aborted) return;
      await Promise.all([...this.#plugins.values()].map((plugin) => plugin.watch()));
    }
  }
}
