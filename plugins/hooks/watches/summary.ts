/** Watches as the control API and the dashboard show them. */
import type { Column, Panel } from "reeve/plugin";
import type { WatchSummary } from "../evidence/api.js";
import type { WatchState } from "./watch-runner.js";

export function watchSummary({ block, runtime, known, problem, guard }: WatchState): WatchSummary {
  const { queue, statistics } = runtime;
  const why =
    problem ?? (guard.isLoop ? "Its command changes the files that it watches." : undefined);
  return {
    name: block.label ?? "",
    subject: block.key,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    paths: block.values.paths,
    ...(known && { files: known.size }),
    running: queue.running,
    waiting: queue.waiting,
    runs: statistics.calls,
    failures: statistics.failures,
    ...(why === undefined ? {} : { problem: why }),
    ...(statistics.lastRun && { lastRun: statistics.lastRun }),
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

/** Rows beyond a screen are not worth sending every second. */
const ROWS = 200;

export const watchesPanel = (watches: readonly WatchState[]): Panel => ({
  kind: "table",
  id: "watches",
  title: "Watches",
  columns,
  rows: watches.slice(0, ROWS).map((watch) => {
    const { name, paths, files, runs, running, failures, lastRun } = watchSummary(watch);
    return {
      ...{ watch: name, paths: paths.join(" "), files: files ?? null, runs, running, failures },
      ...{ last: lastRun?.at ?? null, state: lastRun?.state ?? null },
    };
  }),
  ...(watches.length > ROWS ? { omitted: watches.length - ROWS } : {}),
});
