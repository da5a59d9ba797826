/** `reeve/plugin` as the daemon knows it, for the code of plugins. */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { addPluginCode, positionOf, syntaxPosition, withPosition } from "../plugin-fault.js";

let provided = false;
/** The modules that were loaded last. */
const loaded: string[] = [];
const KEPT = 32;

/** A plugin uses the contract of its daemon, whatever is installed beside the plugin. */
function providePluginApi(): void {
  if (provided) return;
  provided = true;
  const url = new URL("../plugin-api/index.js", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "reeve/plugin" ? { url, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => {
      loaded.push(url);
      if (loaded.length > KEPT) loaded.shift();
      return next(url, context);
    },
  });
}

/** The default export of a plugin's module, unchecked. */
export async function importPlugin(url: string): Promise<unknown> {
  providePluginApi();
  addPluginCode(url);
  try {
    return ((await import(url)) as { readonly default?: unknown }).default;
  } catch (thrown) {
    const isNowhere = thrown instanceof SyntaxError && positionOf(thrown) === undefined;
    throw isNowhere ? withPosition(thrown, findSyntaxError()) : thrown;
  }
}

/** Node tells the position of an error in the syntax of a module only where it ends the process: the modules are parsed again. */
function findSyntaxError(): string | undefined {
  const { emitWarning } = process;
  // The function is marked as experimental, which is nothing that the plugin's author has to know.
  process.emitWarning = () => undefined;
  try {
    for (const url of loaded.toReversed()) {
      if (!url.startsWith("file:")) continue;
      const path = fileURLToPath(new URL(url));
      const position = syntaxErrorIn(path);
      if (position !== undefined) return position;
    }
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function syntaxErrorIn(path: string): string | undefined {
  try {
    stripTypeScriptTypes(readFileSync(path, "utf8"), { sourceUrl: path });
    return undefined;
  } catch (thrown) {
    return thrown instanceof SyntaxError ? syntaxPosition(String(thrown.stack)) : undefined;
  }
}
