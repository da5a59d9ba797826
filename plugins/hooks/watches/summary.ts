/** Watches as the control API and the dashboard show them. */
import type { Column, Panel } from "reeve/plugin";
import type { WatchSummary } from "../evidence/api.js";
import { blockPanel, blockSummary } from "../triggers/summary.js";
import type { WatchState } from "./watch-runner.js";

export function watchSummary(watch: WatchState): WatchSummary {
  const { block, runtime, known, problem, guard } = watch;
  const { statistics } = runtime.meter;
  const why =
    problem ?? (guard.isLoop ? "Its command changes the files that it watches." : undefined);
  return {
    ...blockSummary(watch),
    paths: block.values.paths,
    ...(known && { files: known.size }),
    runs: statistics.calls,
    failures: statistics.failures,
    ...(why === undefined ? {} : { problem: why }),
  };
}

const columns: readonly Column[] = [
  { id: "watch", title: "Watch" },
  { id: "paths", title: "Paths", priority: 2 },
  { id: "files", title: "Files", format: "number", priority: 1 },
  { id: "runs", title: "Runs", format: "number" },
  { id: "running", title: "Running", format: "number", priority: 1 },
  { id: "failures", title: "Failed", format: "number" },
  { id: "last", title: "Last run", format: "time", priority: 1 },
  { id: "state", title: "State", format: "state" },
];

export const watchesPanel = (watches: readonly WatchState[]): Panel =>
  blockPanel({ id: "watches", title: "Watches", columns }, watches, (watch) => {
    const { name, paths, files, runs, running, failures, lastRun } = watchSummary(watch);
    return {
      ...{ watch: name, paths: paths.join(" "), files: files ?? null, runs, running, failures },
      ...{ last: lastRun?.at ?? null, state: lastRun?.state ?? null },
    };
  });
