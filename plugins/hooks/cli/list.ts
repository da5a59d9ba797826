/** `reeve hook list`: every hook in numbers. */
import {
  type Channel,
  controlExits,
  controlOptions,
  defineCommand,
  duration,
  Exit,
  relative,
  stateStyle,
  stateWord,
  type TableColumn,
  writeTable,
} from "reeve/cli";
import type { HookSummary } from "../offline.js";
import { hooksOf } from "./requests.js";

export const command = defineCommand({
  description:
    "Numbers are since the time in SINCE, over restarts and edits; p50, p95 and p99 are how long the latest commands took. " +
    "With --json: the `HookList` of the control API.",
  options: controlOptions,
  examples: [
    { command: "reeve hook list", does: "lists the hooks with their calls and how they did" },
    { command: "reeve hook list --json", does: "the same for a program" },
  ],
  exits: controlExits,
  async run({ options, output, control }) {
    const hooks = await hooksOf(control);
    if (options.json) output.json({ hooks });
    else if (hooks.length === 0) output.err.line("No hooks.");
    else writeTable(output.out, columns(output.out, Date.now()), hooks);
    return Exit.ok;
  },
});

const took = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? "" : duration(milliseconds);

function columns(
  { paint }: Pick<Channel, "paint">,
  now: number,
): ReadonlyArray<TableColumn<HookSummary>> {
  const right = { align: "right" } as const;
  return [
    { title: "HOOK", cell: ({ name }) => name, shrink: 12 },
    {
      title: "ORDER",
      cell: ({ name, sharedBy }) =>
        sharedBy ? `${sharedBy.indexOf(name) + 1} of ${sharedBy.length}` : "",
      priority: 3,
    },
    { title: "CALLS", cell: ({ calls }) => String(calls), ...right },
    { title: "REJECTED", cell: ({ rejected }) => String(rejected), ...right, priority: 1 },
    { title: "FAILED", cell: ({ failures }) => String(failures), ...right, priority: 1 },
    { title: "P50", cell: ({ p50 }) => took(p50), ...right, priority: 4 },
    { title: "P95", cell: ({ p95 }) => took(p95), ...right, priority: 3 },
    { title: "P99", cell: ({ p99 }) => took(p99), ...right, priority: 4 },
    { title: "RUNNING", cell: ({ running }) => String(running), ...right, priority: 2 },
    { title: "WAITING", cell: ({ waiting }) => String(waiting), ...right, priority: 2 },
    {
      title: "LAST RUN",
      cell: ({ lastRun }) =>
        lastRun === undefined ? "" : `${stateWord(lastRun.state)} ${relative(lastRun.at, now)}`,
      paint: (text, { lastRun }) => paint(stateStyle(lastRun?.state ?? ""), text),
      priority: 1,
    },
    {
      title: "SINCE",
      cell: ({ since }) => (since === undefined ? "" : relative(since, now)),
      priority: 5,
    },
    { title: "ADDRESS", cell: ({ url }) => url, shrink: 20, priority: 5 },
  ];
}
