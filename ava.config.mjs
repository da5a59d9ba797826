// Ava's settings; `npm test` runs it through scripts/test.mjs, which also prepares tools and cleans up.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { filesOf } from "./scripts/test/tiers.mjs";
import { watchRun } from "./scripts/test/watch.mjs";

const { REEVE_TEST_RUN: run, REEVE_TEST_TIERS: tiers } = process.env;

/** Seconds of the files that take longest. */
const durations = JSON.parse(
  readFileSync(new URL("scripts/test/durations.json", import.meta.url), "utf8"),
);
const secondsOf = (file) => durations[file.slice(file.indexOf("/dist/") + 6)] ?? 0;

export default {
  files: filesOf(tiers),
  require: [fileURLToPath(new URL("scripts/test/worker.mjs", import.meta.url))],
  nodeArguments: [`--import=${fileURLToPath(new URL("scripts/test/lean.mjs", import.meta.url))}`],
  snapshotDir: "tests/snapshots",
  workerThreads: false,
  // The runner ends single files; ava would end all that run at the moment.
  timeout: run ? "1h" : "2m",
  // The longest files first, so that no processor waits for one of them at the end.
  sortTestFiles: (a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1),
  nonSemVerExperiments: { observeRunsFromConfig: true },
  ...(run && { observeRun: ({ events }) => watchRun(run, events) }),
};
