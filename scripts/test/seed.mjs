// In `npm test` property tests draw the same cases in each run, so that a commit fails for what it changes; the long tier draws
// new ones each time.
import { registerHooks } from "node:module";

const SEED = 20260101;

if (process.env.REEVE_TEST_LONG !== "1")
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith("/fast-check/lib/fast-check.js")) return loaded;
      return { ...loaded, source: `${loaded.source}\nconfigureGlobal({ seed: ${SEED} });\n` };
    },
  });
