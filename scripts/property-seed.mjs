// Loaded by ava into every test process. In CI the property tests draw their cases from one seed, so that a commit fails
// for what it changes; elsewhere each run draws new cases.
import { registerHooks } from "node:module";

const SEED = 20260101;

if (process.env.CI) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith("/fast-check/lib/fast-check.js")) return loaded;
      return { ...loaded, source: `${loaded.source}\nconfigureGlobal({ seed: ${SEED} });\n` };
    },
  });
}
