/** Tasks as the control API and the dashboard show them. */
import type { Column, Panel } from "reeve/plugin";
import type { TaskSummary } from "../evidence/api.js";
import { parameterSchema, parametersOf } from "./parameters.js";
import type { TaskState } from "./task-runner.js";

export function taskSummary({ block, runtime }: TaskState): TaskSummary {
  const { queue, statistics } = runtime;
  return {
    name: block.label ?? "",
    subject: block.key,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    after: block.values.after.map(({ key }) => key),
    on: block.values.on,
    parameters: parametersOf(block),
    schema: parameterSchema(block),
    running: queue.running,
    waiting: queue.waiting,
    runs: statistics.calls,
    failures: statistics.failures,
    ...(statistics.lastRun && { lastRun: statistics.lastRun }),
  };
}

const columns: readonly Column[] = [
  { id: "task", title: "Task" },
  { id: "after", title: "After", priority: 2 },
  { id: "runs", title: "Runs", format: "number" },
  { id: "running", title: "Running", format: "number", priority: 1 },
  { id: "waiting", title: "Waiting", format: "number", priority: 1 },
  { id: "failures", title: "Failed", format: "number" },
  { id: "last", title: "Last run", format: "time", priority: 1 },
  { id: "state", title: "State", format: "state" },
];

/** Rows beyond a screen are not worth sending every second. */
const ROWS = 200;

export const tasksPanel = (tasks: readonly TaskState[]): Panel => ({
  kind: "table",
  id: "tasks",
  title: "Tasks",
  columns,
  rows: tasks.slice(0, ROWS).map(({ block, runtime: { queue, statistics } }) => ({
    task: block.label ?? "",
    after: block.values.after.map(({ key }) => key).join(" "),
    runs: statistics.calls,
    running: queue.running,
    waiting: queue.waiting,
    failures: statistics.failures,
    last: statistics.lastRun?.at ?? null,
    state: statistics.lastRun?.state ?? null,
  })),
  ...(tasks.length > ROWS ? { omitted: tasks.length - ROWS } : {}),
});
