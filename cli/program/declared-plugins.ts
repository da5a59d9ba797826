/** Plugins that a configuration declares and that bring commands or screens: found without running their code. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { importPlugin } from "../../daemon/catalog/import-plugin.js";
import { locate } from "../../daemon/catalog/locate.js";
import { load } from "../../daemon/config/load.js";
import type { PluginDeclaration } from "../../daemon/config/program.js";
import type { CliManifest, PluginCli } from "../plugin-api/define.js";
import type { CliPlugin } from "./plugins.js";

interface Package {
  readonly reeve?: { readonly cli?: CliManifest & { readonly module?: unknown } };
}

/** `root`: path of a root file. None where it is missing or cannot be read: `reeve check` says why. */
export async function declaredPlugins(root = "main.reeve"): Promise<readonly CliPlugin[]> {
  if (!existsSync(root)) return [];
  const path = resolve(root);
  const found = await Promise.all(
    (await declarationsIn(path)).map((declaration) => cliOf(declaration, dirname(path))),
  );
  return found.filter((plugin) => plugin !== undefined);
}

async function declarationsIn(root: string): Promise<readonly PluginDeclaration[]> {
  let found: readonly PluginDeclaration[] = [];
  const catalog = {
    bind: async (declarations: readonly PluginDeclaration[]) => {
      found = declarations;
      return { plugins: [], diagnostics: [] };
    },
  };
  await load(root, { catalog }).catch(() => undefined);
  return found;
}

async function cliOf(
  { name, source }: PluginDeclaration,
  directory: string,
): Promise<CliPlugin | undefined> {
  const located = await locate(source, directory);
  if (located.kind !== "found") return undefined;
  const folder = located.module.code;
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  const manifest = (JSON.parse(text) as Package).reeve?.cli;
  if (typeof manifest?.module !== "string") return undefined;
  const { href } = pathToFileURL(resolve(folder, manifest.module));
  const importCli = async (): Promise<PluginCli> => {
    await provideCliApi();
    return (await importPlugin(href)) as PluginCli;
  };
  return {
    id: manifest.id ?? name,
    name,
    heading: "Plugins",
    manifest,
    isDeclared: true,
    load: importCli,
  };
}

const KEY = "reeve/cli";
let provided = false;

/** A plugin gets the `reeve/cli` of the running program, also where that is bundled: classes are the same on both sides. */
async function provideCliApi(): Promise<void> {
  if (provided) return;
  provided = true;
  const api = await import("../plugin-api/index.js");
  (globalThis as Record<symbol, unknown>)[Symbol.for(KEY)] = api;
  const names = Object.keys(api).join(", ");
  const text = `export const { ${names} } = globalThis[Symbol.for(${JSON.stringify(KEY)})];`;
  const url = `data:text/javascript,${encodeURIComponent(text)}`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === KEY ? { url, shortCircuit: true } : next(specifier, context),
  });
}
