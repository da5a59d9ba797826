/** Property tests try the same cases in each run of `npm test`. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { output } from "./support/child.js";

const hook = pathToFileURL(resolve("scripts/test/seed.mjs")).href;
const script = `
  import fc from "fast-check";
  process.stdout.write(JSON.stringify(fc.sample(fc.integer(), 1).concat(fc.readConfigureGlobal().seed ?? "none")));`;

const sample = (env: Record<string, string>): unknown =>
  JSON.parse(
    output(process.execPath, ["--import", hook, "--input-type=module", "-e", script], {
      env: { ...process.env, ...env },
    }),
  );

test("in `npm test` the cases are drawn from one seed, in the long tier they are new", (t) => {
  const commit = { REEVE_TEST_LONG: "" };
  t.deepEqual(sample(commit), sample(commit));
  t.like(sample(commit), { 1: 20260101 });
  t.like(sample({ REEVE_TEST_LONG: "1" }), { 1: "none" });
});
