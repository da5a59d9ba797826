/** `reeve/plugin` as the daemon knows it, for the code of plugins. */
import { registerHooks } from "node:module";

let provided = false;

/** A plugin gets the contract of the daemon it runs in, whatever is or is not installed beside it. */
function providePluginApi(): void {
  if (provided) return;
  provided = true;
  const url = new URL("../plugin-api/index.js", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "reeve/plugin" ? { url, shortCircuit: true } : next(specifier, context),
  });
}

/** The default export of a plugin's module, whatever it is. */
export async function importPlugin(url: string): Promise<unknown> {
  providePluginApi();
  return ((await import(url)) as { readonly default?: unknown }).default;
}
