// Loaded into every process that runs a test file, before ava: it loads what finds files on a disk, for a quarter of its start,
// although only its main process finds files.
import { registerHooks } from "node:module";

const hooks = registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "./globs.js" || !context.parentURL?.endsWith("/ava/lib/provider-manager.js"))
      return next(specifier, context);
    hooks.deregister();
    return { url: "data:text/javascript,", format: "module", shortCircuit: true };
  },
});
process.execArgv = process.execArgv.filter((word) => !word.endsWith("/test/lean.mjs"));
