/** As accepted.sys.test.ts, with a thousand sequences that are new each time. `REEVE_SEED` repeats those of a run. */
import test from "ava";
import { partsOf, playAll, rangeOf } from "./sequences.js";

const seed = Math.floor(Date.now() / 1000) % 10_000_000;

for (const part of partsOf(rangeOf({ seed, count: 1000 })))
  test.serial(
    `what was accepted runs as the model says: ${part.count} sequences from seed ${part.seed}`,
    async (t) => {
      t.timeout(300_000);
      await playAll(t, part);
    },
  );
