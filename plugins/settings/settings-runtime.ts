/** One running block: watches its files and publishes changes of the effective settings. */
import { type FileSet, type PluginContext, type Watch, type WatchedFile } from "reeve/plugin";
import { fileView, type SettingsSnapshot, type VersionView } from "./effective/api.js";
import {
  changesBetween,
  type InForce,
  ownValues,
  type SettingChange,
} from "./effective/effective.js";
import {
  effectiveSettings,
  type FileState,
  type FileStates,
  inForceOf,
  layersOf,
  nothing,
  updateStates,
} from "./effective/file-states.js";
import { LayerStack } from "./effective/layer-stack.js";
import { materialise } from "./materialise.js";
import { type SettingsMetrics } from "./metrics.js";
import { type SettingsPush } from "./proxy/layers.js";
import { MAX_BYTES } from "./read/read.js";
import { InvalidServer, refusedOverrides, type SettingsSource, sourceOf } from "./server-schema.js";

/** Milliseconds during which a broken file is not reported: it may be half written. */
const TORN = 300;
/** The number of retained changes. */
const VERSIONS = 100;

interface Summary {
  /** Existing files. */
  readonly files: number;
  /** Keys with a value from any layer but the default. */
  readonly set: number;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly broken: number;
}

const isBroken = ({ state }: FileState): boolean => state === "broken" || state === "last_good";

export class SettingsRuntime {
  #source: SettingsSource;
  readonly #context: PluginContext;
  readonly #metrics: SettingsMetrics;
  #watches: readonly Watch[] = [];
  #schemaFailure: string | undefined;
  #following: FileStates = nothing;
  readonly #layerStack = new LayerStack();
  #settings: readonly InForce[] = [];
  #version = 0;
  #changedAt = 0;
  #suppressed = 0;
  #versions: readonly VersionView[] = [];
  /** Hashes of reported broken files. */
  readonly #rejected = new Map<string, string>();
  readonly #closing = new AbortController();
  #live = false;
  #writing: Promise<void> = Promise.resolve();
  #schemaChange: Promise<void> = Promise.resolve();
  #writeFailure: string | undefined;

  constructor(source: SettingsSource, context: PluginContext, metrics: SettingsMetrics) {
    this.#source = source;
    this.#context = context;
    this.#metrics = metrics;
  }

  /** Reads and watches the files; publishes nothing before `start`. `before` supplies last good values. */
  async open(before: SettingsRuntime | undefined): Promise<void> {
    if (before) this.#following = before.#following;
    const { files, workspace, block, schema } = this.source;
    const options = { applyFiles: block.values.debounce, maxBytes: MAX_BYTES };
    const watch = (paths: readonly string[], changed: (set: FileSet) => void) =>
      this.#context.files.watch(paths, options, changed);
    this.#watches = [await watch([...files, ...workspace], (set) => this.#changed(set))];
    if (!schema) return;
    const schemaWatch = await watch([schema.path], ({ files: [file] }) => {
      if (file) this.#schemaChange = this.#schemaChange.then(() => this.#changeSchema(file));
    });
    this.#watches = [...this.#watches, schemaWatch];
  }

  /** Applies a changed schema. A broken one changes nothing. */
  async #changeSchema({ content, error }: WatchedFile): Promise<void> {
    const { block, schema } = this.source;
    const text = Buffer.from(content).toString();
    if (!schema || (error === undefined && text === schema.text)) {
      this.#schemaFailure = undefined;
      return;
    }
    try {
      if (error !== undefined) {
        throw new InvalidServer("schema", `The schema ${schema.path} cannot be read: ${error}.`);
      }
      const directory = this.#context.directories.configuration;
      const source = await sourceOf(block, directory, { ...schema, text });
      const [refusal] = refusedOverrides(source);
      if (refusal !== undefined) {
        throw new InvalidServer(
          "override",
          `The schema ${schema.path} refuses an override: ${refusal}.`,
        );
      }
      this.#schemaFailure = undefined;
      this.#source = source;
      this.#following = updateStates(source, this.#following.set, this.#following);
      if (this.#live) this.#applyFiles(true);
    } catch (thrown) {
      if (!(thrown instanceof InvalidServer)) throw thrown;
      this.#schemaFailure = `${thrown.message} The schema before stays in force.`;
    }
  }

  /** Puts the settings into effect. */
  start(before: SettingsRuntime | undefined): void {
    if (before) {
      this.#version = before.#version;
      this.#changedAt = before.#changedAt;
      this.#versions = before.#versions;
      this.#settings = before.#settings;
      this.#suppressed = before.#suppressed;
      for (const each of before.#rejected) this.#rejected.set(...each);
    }
    this.#live = true;
    this.#applyFiles();
  }

  async close(): Promise<void> {
    this.#live = false;
    this.#closing.abort();
    await Promise.all(this.#watches.map((watch) => watch.close()));
    await this.#schemaChange;
    await this.#writing;
  }

  /** With the schema as it is now. */
  get source(): SettingsSource {
    return this.#source;
  }

  get files(): readonly FileState[] {
    return this.#following.files;
  }

  /** In numbers. */
  get summary(): Summary {
    return {
      files: this.files.filter(({ state }) => state !== "missing").length,
      set: this.#settings.filter(({ origin }) => origin !== "default").length,
      version: this.#version,
      changedAt: this.#changedAt,
      broken: this.files.filter(isBroken).length,
    };
  }

  get snapshot(): SettingsSnapshot {
    const { title, section } = this.source.checker.server;
    return {
      name: this.source.name,
      title,
      section,
      version: this.#version,
      changedAt: this.#changedAt,
      files: this.files.map(fileView),
      settings: effectiveSettings(this.source, this.files),
      suppressed: this.#suppressed,
    };
  }

  /** For clients that merge an editor's own settings. */
  get delivery(): SettingsPush {
    return {
      name: this.source.name,
      version: this.#version,
      server: this.source.checker.server,
      layers: layersOf(this.source, this.files),
    };
  }

  get versions(): readonly VersionView[] {
    return this.#versions;
  }

  /** The reason for degraded health. */
  get degradedReason(): string | undefined {
    const broken = this.files.find(isBroken);
    if (broken) {
      const kept =
        broken.state === "last_good" ? "what it said before stays in force" : "it is left out";
      return `The settings file ${broken.path} is broken: ${broken.findings[0]?.message ?? "it cannot be read"}; ${kept}.`;
    }
    return this.#schemaFailure ?? this.#writeFailure;
  }

  #changed(set: FileSet): void {
    this.#following = updateStates(this.source, set, this.#following);
    if (this.#live) this.#applyFiles();
  }

  /** Applies the files' current content and reports broken files. `force`: clients need more than the values. */
  #applyFiles(force = false): void {
    const settings = inForceOf(this.source, this.files, this.#layerStack);
    const changed = changesBetween(this.#settings, settings);
    this.#settings = settings;
    if (changed.length > 0 || force) this.#publishChange(changed);
    else {
      this.#suppressed += 1;
      this.#metrics.suppressed.add(1, { settings: this.source.name });
    }
    const broken = this.files.filter(isBroken);
    const paths = new Set(broken.map(({ path }) => path));
    for (const path of this.#rejected.keys()) if (!paths.has(path)) this.#rejected.delete(path);
    for (const file of broken) void this.#reportBroken(file);
  }

  #publishChange(changed: readonly SettingChange[]): void {
    const { name, write } = this.source;
    this.#version += 1;
    this.#changedAt = this.#context.clock.now();
    const version = { version: this.#version, at: this.#changedAt, changed };
    this.#versions = [...this.#versions, version].slice(-VERSIONS);
    this.#metrics.changes.add(1, { settings: name });
    this.#context.events.emit("settings.changed", {
      name,
      version: this.#version,
      changed,
      restartAdvised: changed.filter(({ live }) => live === "restart").map(({ key }) => key),
    });
    if (write !== undefined) this.#write(write);
  }

  #write(path: string): void {
    this.#writing = this.#writing
      .then(() => materialise(path, ownValues(this.#settings)))
      .then(
        () => {
          this.#writeFailure = undefined;
        },
        (thrown: unknown) => {
          const { code, message } = thrown as NodeJS.ErrnoException;
          this.#writeFailure = `The merged settings cannot be written to ${path}: ${code ?? message}.`;
          this.#context.log.warn("Cannot write merged settings", {
            path,
            reason: code ?? message,
          });
        },
      );
  }

  /** Reports a broken file, once per content. A half-written file gets time to become complete. */
  async #reportBroken(file: FileState): Promise<void> {
    const { path, hash, torn, state } = file;
    const identity = `${hash} ${file.findings[0]?.message}`;
    if (this.#rejected.get(path) === identity) return;
    this.#rejected.set(path, identity);
    if (torn) {
      const { signal } = this.#closing;
      await this.#context.clock.sleep(TORN, signal).catch(() => undefined);
      if (signal.aborted || !this.files.some((each) => each.path === path && each.hash === hash)) {
        // Not reported, so the same text may be reported later.
        if (this.#rejected.get(path) === identity) this.#rejected.delete(path);
        return;
      }
    }
    this.#metrics.rejected.add(1, { settings: this.source.name });
    const { findings } = fileView(file);
    this.#context.events.emit("settings.rejected", {
      name: this.source.name,
      path,
      state,
      findings,
    });
  }
}
