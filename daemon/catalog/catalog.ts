/**
 * The available plugins, and the only path by which their code is loaded. Built-in plugins are imported here. A
 * declared plugin is imported, described and called in a worker or process, which stays alive between loads.
 */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { createDiagnostic } from "../config/diagnose.js";
import type { BoundCatalog, PluginCatalog, PluginDeclaration } from "../config/program.js";
import type { Isolation } from "../plugin-api/descriptor.js";
import { BUILT_IN, type BuiltIn, loadBuiltIn } from "./built-in.js";
import type { Deadlines } from "./runner/plugin-runner.js";
import type { PluginSource } from "./source.js";
import type { LoadedPlugin } from "./third-party.js";

export interface CatalogOptions {
  /** @default every plugin of this package */
  readonly builtins?: readonly BuiltIn[];
  /** Where built-in plugins run, by id, if not where they want to. */
  readonly isolation?: Readonly<Record<string, Isolation>>;
  /** What a declared plugin may take. @default 30 s to load, 5 s to answer */
  readonly deadlines?: Partial<Deadlines>;
}

export interface Catalog extends PluginCatalog {
  /** The code of the declared plugins, by id. */
  sources(
    declarations: readonly PluginDeclaration[],
    root: string,
  ): Promise<ReadonlyMap<string, PluginSource>>;
  /** Stops the runners that describe declared plugins. They restart on demand. */
  close(): Promise<void>;
}

export function createCatalog(options: CatalogOptions = {}): Catalog {
  return new PluginsOfHost(options);
}

interface Resolved {
  readonly loaded: readonly LoadedPlugin[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files that say which code it is. */
  readonly watch: readonly string[];
}

type Declared = (LoadedPlugin | { readonly diagnostic: Diagnostic }) & Pick<Resolved, "watch">;

class PluginsOfHost implements Catalog {
  readonly #options: CatalogOptions;
  readonly #deadlines: Deadlines;
  /** Declared plugins by everything their description depends on. */
  readonly #known = new Map<string, LoadedPlugin>();
  #builtIns: Promise<readonly LoadedPlugin[]> | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#deadlines = { load: 30_000, answer: 5_000, ...options.deadlines };
  }

  async bind(declarations: readonly PluginDeclaration[], root: string): Promise<BoundCatalog> {
    const { loaded, diagnostics, watch } = await this.#resolve(declarations, root);
    return { plugins: loaded.map(({ bound }) => bound), diagnostics, watch };
  }

  async sources(
    declarations: readonly PluginDeclaration[],
    root: string,
  ): Promise<ReadonlyMap<string, PluginSource>> {
    const { loaded } = await this.#resolve(declarations, root);
    return new Map(loaded.map(({ source }) => [source.description.id, source]));
  }

  async close(): Promise<void> {
    const known = [...this.#known.values()];
    this.#known.clear();
    await Promise.all(known.map((each) => each.close()));
  }

  async #resolve(declarations: readonly PluginDeclaration[], root: string): Promise<Resolved> {
    this.#builtIns ??= this.#loadBuiltIns();
    const builtIns = await this.#builtIns;
    const outcomes = await Promise.all(declarations.map((each) => this.#declared(each, root)));
    const loaded = [...builtIns];
    const diagnostics: Diagnostic[] = [];
    const locations = new Map<string, PluginDeclaration | undefined>(
      builtIns.map(({ source }) => [source.description.id, undefined]),
    );
    for (const [index, outcome] of outcomes.entries()) {
      const declaration = declarations[index] as PluginDeclaration;
      if ("diagnostic" in outcome) diagnostics.push(outcome.diagnostic);
      else if (locations.has(outcome.source.description.id)) {
        const { id } = outcome.source.description;
        diagnostics.push(clash(declaration, id, locations.get(id)));
      } else {
        locations.set(outcome.source.description.id, declaration);
        loaded.push(outcome);
      }
    }
    return { loaded, diagnostics, watch: outcomes.flatMap(({ watch }) => watch) };
  }

  async #loadBuiltIns(): Promise<readonly LoadedPlugin[]> {
    const { builtins = BUILT_IN, isolation = {} } = this.#options;
    const loaded = await Promise.all(
      builtins.map((builtIn) => loadBuiltIn(builtIn, (id) => isolation[id])),
    );
    return loaded.filter((each) => each !== undefined);
  }

  async #declared(declaration: PluginDeclaration, root: string): Promise<Declared> {
    // The code that locates and runs third-party plugins is loaded with the first declaration.
    const { find, loadPlugin: load } = await import("./third-party.js");
    const found = await find(declaration, root);
    if (found.kind === "refused") return { ...found, watch: [] };
    const { watch } = found.module;
    const { name, isolation } = declaration;
    const key = JSON.stringify([name, isolation, found.module.url, found.module.fingerprint]);
    const known = this.#known.get(key);
    if (known) return { ...known, watch };
    const loaded = await load(declaration, found.module, this.#deadlines);
    if ("bound" in loaded) await this.#remember(key, loaded);
    return { ...loaded, watch };
  }

  /** One entry per name and module: older code is never called again. */
  async #remember(key: string, loaded: LoadedPlugin): Promise<void> {
    const [name, , url] = JSON.parse(key) as readonly string[];
    for (const [other, known] of this.#known) {
      const [itsName, , itsUrl] = JSON.parse(other) as readonly string[];
      if (name !== itsName || url !== itsUrl) continue;
      this.#known.delete(other);
      await known.close();
    }
    this.#known.set(key, loaded);
  }
}

function clash(
  declaration: PluginDeclaration,
  id: string,
  earlier: PluginDeclaration | undefined,
): Diagnostic {
  return createDiagnostic(
    "E606",
    declaration.location,
    `the plugin \`${declaration.name}\` calls itself \`${id}\`, and so does another one`,
    {
      help: earlier ? undefined : `\`${id}\` is built in and needs no declaration`,
      related: earlier ? [{ location: earlier.location, message: "declared here" }] : [],
    },
  );
}
