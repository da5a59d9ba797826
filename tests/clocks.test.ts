/**
 * Durations and deadlines use a clock that corrections of the system's time do not move: `performance.now()`, or
 * `steady` and `startTimer` of `daemon/services/clock.ts`. A difference of the system's times needs a reason here.
 */
import { globSync, readFileSync } from "node:fs";
import test from "ava";

/** `Date.now() - x`, `x - clock.now()`. */
const DIFFERENCE = /(Date|[cC]lock)\.now\(\)\)? -(?!-)|- (?:#?\w+\.)*#?(Date|[cC]lock)\.now\(\)/;

const STEADY = "counts on a steady clock";
const RECORDED = "compares a recorded time, which outlives the process";
const PLANNED = "waits for a time of the calendar";
const FILES = "compares the time of a file";
const CACHE = "a cache: a jump refreshes it early or late";

const allowed: Readonly<Record<string, string>> = {
  "daemon/host/isolation/plugin-side/clock.ts": "follows the clock of the host",
  "daemon/reload/probation.ts": STEADY,
  "daemon/services/jobs/timing.ts": PLANNED,
  "daemon/services/runs/run-store.ts": RECORDED,
  "daemon/services/store/plugin-tables.ts": RECORDED,
  "daemon/source/follower.ts": RECORDED,
  "daemon/watch/changes.ts": STEADY,
  "daemon/watch/read-files.ts": FILES,
  "daemon/watch/stable-watcher.ts": STEADY,
  "plugins/firewall/engine/home/layout.ts": FILES,
  "plugins/firewall/engine/repositories.ts": FILES,
  "plugins/firewall/engine/socket-watch.ts": FILES,
  "plugins/firewall/engine/unfinished-runs.ts": FILES,
  "plugins/hooks/schedules/schedule-runner.ts": PLANNED,
  "plugins/hooks/telemetry/statistics-store.ts": RECORDED,
  "plugins/updates/hosts/access.ts": CACHE,
  "plugins/updates/hosts/remote/remote.ts": CACHE,
  "plugins/updates/hosts/remote/rest.ts": "waits for a time that the code host names",
  "plugins/updates/pipeline/inbound/host-poller.ts": CACHE,
  "plugins/updates/pipeline/publish/close.ts": RECORDED,
  "plugins/updates/registries/http.ts": "waits for a time that the registry names",
  "plugins/updates/schedule/registry-poller.ts": PLANNED,
  "plugins/updates/schedule/scheduler.ts": PLANNED,
};

const sources = globSync(["daemon/**/*.ts", "plugins/**/*.ts", "cli/**/*.ts"])
  .filter((path) => !/\.test(-d)?\.ts$|\/testing\//.test(path))
  .sort();

test("no duration or deadline is a difference of the system's times", (t) => {
  t.true(sources.length > 500);
  const found = sources.filter((path) => DIFFERENCE.test(readFileSync(path, "utf8")));
  t.deepEqual(found, Object.keys(allowed).sort());
});
