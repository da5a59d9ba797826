/** Property tests try the same cases in each run of CI. */

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";

const hook = pathToFileURL(resolve("scripts/property-seed.mjs")).href;
const script = `
  import fc from "fast-check";
  process.stdout.write(JSON.stringify(fc.sample(fc.integer(), 1).concat(fc.readConfigureGlobal().seed ?? "none")));`;

const sample = (env: Record<string, string>): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ["--import", hook, "--input-type=module", "-e", script], {
      env: { ...process.env, CI: "", ...env },
      encoding: "utf8",
    }),
  );

test("in CI the cases are drawn from one seed, elsewhere not", (t) => {
  t.deepEqual(sample({ CI: "true" }), sample({ CI: "true" }));
  t.like(sample({ CI: "true" }), { 1: 20260101 });
  t.like(sample({}), { 1: "none" });
});
