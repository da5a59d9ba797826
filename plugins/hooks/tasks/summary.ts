/** Tasks as the control API and the dashboard show them. */
import type { Column, Panel } from "reeve/plugin";
import type { TaskSummary } from "../evidence/api.js";
import { blockPanel, blockSummary } from "../triggers/summary.js";
import { parameterSchema, parametersOf } from "./parameters.js";
import type { TaskState } from "./task-chain.js";

export function taskSummary(task: TaskState): TaskSummary {
  const { block } = task;
  const { calls, failures } = task.runtime.meter.statistics;
  return {
    ...blockSummary(task),
    after: block.values.after.map(({ key }) => key),
    on: block.values.on,
    parameters: parametersOf(block),
    schema: parameterSchema(block),
    runs: calls,
    failures,
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

export const tasksPanel = (tasks: readonly TaskState[]): Panel =>
  blockPanel({ id: "tasks", title: "Tasks", columns }, tasks, (task) => {
    const { name, after, runs, running, waiting, failures, lastRun } = taskSummary(task);
    return {
      ...{ task: name, after: after.join(" "), runs, running, waiting, failures },
      ...{ last: lastRun?.at ?? null, state: lastRun?.state ?? null },
    };
  });
