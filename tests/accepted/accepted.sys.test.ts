/** Random sequences of requests, stops, edits, full disks and moved clocks, judged by a model. `REEVE_SEED` and `REEVE_SEQUENCES` choose others. */
import test from "ava";
import { partsOf, playAll, rangeOf } from "./sequences.js";

for (const part of partsOf(rangeOf({ seed: 1, count: 50 })))
  test.serial(
    `what was accepted runs as the model says, whatever stops the daemon: ${part.count} sequences from seed ${part.seed}`,
    async (t) => {
      t.timeout(300_000);
      await playAll(t, part);
    },
  );
