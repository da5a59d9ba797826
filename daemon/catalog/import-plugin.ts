/** `reeve/plugin` as the daemon knows it, for the code of plugins. */
import { registerHooks } from "node:module";

let provided = false;

/** A plugin uses the contract of its daemon, whatever is installed beside the plugin. */
function providePluginApi(): void {
  if (provided) return;
  provided = true;
  const url = new URL("../plugin-api/index.js", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "reeve/plugin" ? { url, shortCircuit: true } : next(specifier, context),
  });
}

/** The default export of a plugin's module, unchecked. */
export async function importPlugin(url: string): Promise<unknown> {
  providePluginApi();
  return ((await import(url)) as { readonly default?: unknown }).default;
}
