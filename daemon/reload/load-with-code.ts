/** Loads a configuration together with the plugins' code. */
import type { ConfigurationDisk } from "../config/disk.js";
import { load } from "../config/load.js";
import type {
  BoundCatalog,
  BoundPlugin,
  HostProbe,
  Loaded,
  PluginCatalog,
} from "../config/program.js";

/** The plugins of a load, by id. Equal objects mean equal code. */
export type PluginCode = ReadonlyMap<string, BoundPlugin>;

export interface LoadedWithCode {
  readonly loaded: Loaded;
  readonly code: PluginCode;
  /** The code files of the plugins. */
  readonly codeFiles: readonly string[];
}

export async function loadWith(
  root: string,
  catalog: PluginCatalog,
  disk: Pick<ConfigurationDisk, "readFile" | "glob" | "realPath">,
  host: HostProbe | undefined,
): Promise<LoadedWithCode> {
  let bound: BoundCatalog | undefined;
  const observed: PluginCatalog = {
    bind: async (declarations, directory) => {
      bound = await catalog.bind(declarations, directory);
      return bound;
    },
  };
  const { readFile, glob, realPath } = disk;
  const loaded = await load(root, { catalog: observed, readFile, glob, realPath, host });
  const plugins = bound?.plugins ?? [];
  const code = new Map(plugins.map((plugin) => [plugin.description.id, plugin]));
  return { loaded, code, codeFiles: bound?.watch ?? [] };
}

/** Whether common plugins have the same code. */
export const isSameCode = (before: PluginCode, now: PluginCode): boolean =>
  [...now].every(([id, plugin]) => (before.get(id) ?? plugin) === plugin);
