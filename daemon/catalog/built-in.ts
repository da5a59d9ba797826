/** Built-in plugins: part of the daemon's package, imported into the main thread. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BoundPlugin } from "../config/program.js";
import { ConfiguredBlock } from "../config/values/block.js";
import { ReeveError } from "../errors.js";
import type { Isolation } from "../plugin-api/descriptor.js";
import type { PluginDefinition } from "../plugin-api/plugin.js";
import { bundled } from "./bundled.js";
import { callFunction, checkBlocks, inspectBlocks } from "./checks.js";
import { asDefinition, describe } from "./describe.js";
import { importPlugin } from "./import-plugin.js";
import type { LoadedPlugin } from "./third-party.js";

/** By name: a folder of `plugins/`; by URL: a module anywhere; or the definition itself. */
export type BuiltIn = string | URL | PluginDefinition;

export const BUILT_IN: readonly string[] = ["hooks", "firewall", "updates", "settings"];

/** `undefined` for a name that this package does not have. */
export async function loadBuiltIn(
  builtIn: BuiltIn,
  isolation: (id: string) => Isolation | undefined,
): Promise<LoadedPlugin | undefined> {
  const url = typeof builtIn === "string" ? moduleOf(builtIn) : builtIn;
  if (!(url instanceof URL)) return loadedFrom(asDefinition(url), undefined, isolation);
  if (url.protocol === "file:" && !existsSync(fileURLToPath(url))) return undefined;
  const own = typeof builtIn === "string" ? bundled[builtIn] : undefined;
  const exported = own ? (await own()).default : await importPlugin(url.href);
  const loaded = loadedFrom(asDefinition(exported), url, isolation);
  return typeof builtIn === "string"
    ? { ...loaded, bound: { ...loaded.bound, vouched: true } }
    : loaded;
}

const moduleOf = (name: string): URL => new URL(`../../plugins/${name}/plugin.js`, import.meta.url);

function loadedFrom(
  definition: PluginDefinition,
  url: URL | undefined,
  wanted: (id: string) => Isolation | undefined,
): LoadedPlugin {
  const description = describe(definition);
  const isolation = wanted(description.id) ?? (url ? description.isolation.default : "inline");
  if (!url && isolation !== "inline") {
    throw new ReeveError(
      "no_module",
      `The plugin "${description.id}" was given as an object and can only run inline.`,
      { help: "Give the URL of its module instead." },
    );
  }
  return {
    bound: boundTo(definition, description),
    source: {
      description,
      namespace: undefined,
      version: description.version,
      isolation,
      code: url ? [fileURLToPath(new URL(".", url))] : [],
      fingerprint: `${url?.href ?? description.id} ${isolation}`,
      module: url?.href,
      definition: async () => definition,
    },
    close: async () => undefined,
  };
}

const boundTo = (
  definition: PluginDefinition,
  description: BoundPlugin["description"],
): BoundPlugin => ({
  description,
  namespace: undefined,
  validate: (blocks) =>
    checkBlocks(
      definition,
      blocks.map((block) => new ConfiguredBlock(block)),
    ),
  ...(description.validates && {
    inspect: (blocks, options) =>
      inspectBlocks(
        definition,
        blocks.map((block) => new ConfiguredBlock(block)),
        options,
      ),
  }),
  call: (name, args) => callFunction(definition, name, args),
});
