/** The running plugin: its blocks, edits and shutdown. */
import {
  type Health,
  type Panel,
  type PluginContext,
  type PluginInstance,
  type PrepareAttempt,
  type Prepared,
} from "reeve/plugin";
import { type blocks, type SettingsBlock, type SettingsConfiguration } from "./blocks.js";
import { declareSettingsMetrics, type SettingsMetrics } from "./metrics.js";
import { InvalidServer, type SettingsSource, sourceOf } from "./server-schema.js";
import { SettingsRuntime } from "./settings-runtime.js";

export class SettingsInstance implements PluginInstance<typeof blocks> {
  readonly #context: PluginContext;
  readonly #metrics: SettingsMetrics;
  #running: ReadonlyMap<string, SettingsRuntime> = new Map();

  constructor(context: PluginContext) {
    this.#context = context;
    this.#metrics = declareSettingsMetrics(context.metrics);
  }

  /** By the block's label. */
  get running(): readonly SettingsRuntime[] {
    return [...this.#running.values()];
  }

  async prepare(
    next: SettingsConfiguration,
    _previous: SettingsConfiguration | undefined,
    { changes }: PrepareAttempt,
  ): Promise<Prepared> {
    const sources = new Map<string, SettingsSource>();
    for (const block of next.blocks.settings) {
      if (changes.get(block.key) === "unchanged" && this.#running.has(block.key)) continue;
      sources.set(block.key, await this.#sourceOf(block));
    }
    const opened = await this.#open(sources);
    return {
      commit: () => this.#commit(next, opened),
      abort: () => closeAll(opened.values()),
    };
  }

  async stop(): Promise<void> {
    await closeAll(this.#running.values());
  }

  health(): Health {
    const reason = this.running.find(
      ({ degradedReason }) => degradedReason !== undefined,
    )?.degradedReason;
    return reason === undefined ? { state: "healthy" } : { state: "degraded", reason };
  }

  panels(): readonly Panel[] {
    return [settingsPanel(this.running)];
  }

  /** A block that runs keeps its schema while the file is broken. */
  async #sourceOf(block: SettingsBlock): Promise<SettingsSource> {
    const directory = this.#context.directories.configuration;
    try {
      return await sourceOf(block, directory);
    } catch (thrown) {
      const known = this.#running.get(block.key)?.source.schema;
      if (!(thrown instanceof InvalidServer) || !known) throw thrown;
      return sourceOf(block, directory, known);
    }
  }

  async #open(
    sources: ReadonlyMap<string, SettingsSource>,
  ): Promise<ReadonlyMap<string, SettingsRuntime>> {
    const opened = new Map<string, SettingsRuntime>();
    try {
      for (const [key, source] of sources) {
        const running = new SettingsRuntime(source, this.#context, this.#metrics);
        opened.set(key, running);
        await running.open(this.#running.get(key));
      }
      return opened;
    } catch (thrown) {
      await closeAll(opened.values());
      throw thrown;
    }
  }

  #commit(
    { blocks: { settings } }: SettingsConfiguration,
    opened: ReadonlyMap<string, SettingsRuntime>,
  ): void {
    const before = this.#running;
    this.#running = new Map(
      settings.flatMap(({ key }) => {
        const running = opened.get(key) ?? before.get(key);
        return running ? [[key, running] as const] : [];
      }),
    );
    const kept = new Set(this.#running.values());
    void closeAll([...before.values()].filter((each) => !kept.has(each)));
    for (const [key, running] of opened) running.start(before.get(key));
  }
}

async function closeAll(all: Iterable<SettingsRuntime>): Promise<void> {
  await Promise.all([...all].map((each) => each.close()));
}

function settingsPanel(all: readonly SettingsRuntime[]): Panel {
  return {
    kind: "table",
    id: "settings",
    title: "Settings",
    columns: [
      { id: "settings", title: "Settings" },
      { id: "files", title: "Files", format: "number" },
      { id: "set", title: "Set", format: "number" },
      { id: "version", title: "Version", format: "number", priority: 1 },
      { id: "changed", title: "Changed", format: "time", priority: 1 },
      { id: "broken", title: "Broken", format: "number" },
    ],
    rows: all.map(({ source, summary: { files, set, version, changedAt, broken } }) => ({
      settings: source.name,
      files,
      set,
      version,
      changed: changedAt,
      broken,
    })),
  };
}
