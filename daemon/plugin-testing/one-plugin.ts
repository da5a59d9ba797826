/** A catalog with the plugin under test as the only one that needs no declaration. */
import { pathToFileURL } from "node:url";
import { type Catalog, createCatalog } from "../catalog/catalog.js";
import { asDefinition } from "../catalog/describe.js";
import { importPlugin } from "../catalog/import-plugin.js";
import type { PluginDeclaration } from "../config/program.js";
import type { Isolation } from "../plugin-api/descriptor.js";
import type { BlockSchemas, PluginDefinition } from "../plugin-api/plugin.js";

/** The definition itself, or its module: an absolute path, or a URL such as `import.meta.resolve` gives. */
export type PluginModule<Blocks extends BlockSchemas = BlockSchemas> =
  | PluginDefinition<Blocks>
  | URL
  | string;

/** The definition, and where it can be loaded from again. */
export interface FoundPlugin {
  readonly definition: PluginDefinition;
  readonly module: PluginDefinition | URL;
}

/** @throws TypeError saying why the module is not a plugin. */
export async function findPlugin(plugin: PluginModule): Promise<FoundPlugin> {
  if (typeof plugin === "object" && !(plugin instanceof URL)) {
    return { definition: asDefinition(plugin), module: plugin };
  }
  const url = urlOf(plugin);
  return { definition: asDefinition(await importPlugin(url.href)), module: url };
}

function urlOf(plugin: URL | string): URL {
  if (plugin instanceof URL) return plugin;
  return plugin.startsWith("file:") ? new URL(plugin) : pathToFileURL(plugin);
}

export interface OnePluginOptions {
  readonly namespace?: string | undefined;
  readonly isolation: Isolation;
}

/** Everything of the plugin is written under `namespace`, as if `plugin "…"` had bound it there; bare without. */
export function catalogOf(
  { definition, module }: FoundPlugin,
  { namespace, isolation }: OnePluginOptions,
): Catalog {
  const { id } = definition;
  const catalog = createCatalog({ builtins: [module], isolation: { [id]: isolation } });
  if (namespace === undefined) return catalog;
  return {
    async bind(declarations, root) {
      const { plugins, ...rest } = await catalog.bind(declarations, root);
      const renamed = plugins.map((plugin) =>
        plugin.description.id === id ? { ...plugin, namespace } : plugin,
      );
      return { ...rest, plugins: renamed };
    },
    async sources(declarations: readonly PluginDeclaration[], root) {
      const sources = new Map(await catalog.sources(declarations, root));
      const own = sources.get(id);
      if (own) sources.set(id, { ...own, namespace });
      return sources;
    },
    close: () => catalog.close(),
  };
}
