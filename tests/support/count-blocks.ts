/**
 * Loaded into a daemon by `--import`: at SIGUSR2 it collects garbage and writes to `REEVE_COUNTS` how many blocks and expressions
 * of configurations are alive.
 */
import { renameSync, writeFileSync } from "node:fs";
import * as v8 from "node:v8";
import { isMainThread } from "node:worker_threads";
import { RunTimeExpression } from "../../daemon/config/expression/expression.js";
import { ConfiguredBlock } from "../../daemon/config/values/block.js";

export interface Counts {
  readonly blocks: number;
  readonly expressions: number;
}

type Query = (of: unknown, options: { readonly format: "count" }) => number;
const { queryObjects } = v8 as unknown as { readonly queryObjects: Query };

const path = process.env.REEVE_COUNTS;
if (isMainThread && path !== undefined && process.argv[2] === "up") {
  process.on("SIGUSR2", () => {
    const counts: Counts = {
      blocks: queryObjects(ConfiguredBlock, { format: "count" }),
      expressions: queryObjects(RunTimeExpression, { format: "count" }),
    };
    writeFileSync(`${path}.new`, JSON.stringify(counts));
    renameSync(`${path}.new`, path);
  });
}
