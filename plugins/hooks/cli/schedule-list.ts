/** `reeve schedule list`: schedules with their next times. */
import {
  absolute,
  type Channel,
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  relative,
  stateStyle,
  stateWord,
  type TableColumn,
  writeTable,
} from "reeve/cli";
import type { ScheduleSummary } from "../offline.js";
import { findListed, scheduleArgument, schedulesOf } from "./requests.js";

export const command = defineCommand({
  description:
    "Times are those at which runs start, with jitter, in the local time zone. With SCHEDULE: the ten next times of one schedule. With --json: the `ScheduleList` of the control API.",
  arguments: [scheduleArgument],
  options: controlOptions,
  examples: [
    { command: "reeve schedule list", does: "lists all schedules with their next time" },
    { command: "reeve schedule list backup", does: "prints its ten next times" },
  ],
  exits: { [Exit.findings]: "there is no such schedule", ...controlExits },
  async run({ arguments: [name], options, output, control }) {
    const schedules = await schedulesOf(control);
    const now = Date.now();
    const chosen = name === undefined ? schedules : [findListed("schedule", schedules, name)];
    if (options.json) output.json({ schedules: chosen });
    else if (name !== undefined) {
      for (const at of chosen[0]?.next ?? []) output.out.line(shownTime(at, now));
    } else if (chosen.length === 0) output.err.line("No schedules.");
    else writeTable(output.out, columns(output.out, now), chosen);
    return Exit.ok;
  },
});

const shownTime = (at: number, now: number): string =>
  `${absolute(at, now)} (${relative(at, now)})`;

function columns(
  { paint }: Pick<Channel, "paint">,
  now: number,
): ReadonlyArray<TableColumn<ScheduleSummary>> {
  const right = { align: "right" } as const;
  return [
    { title: "SCHEDULE", cell: ({ name }) => name, shrink: 12 },
    { title: "RULE", cell: ({ rule }) => rule, shrink: 12, priority: 1 },
    {
      title: "NEXT",
      cell: ({ next: [at] }) => (at === undefined ? "never" : shownTime(at, now)),
    },
    { title: "RUNNING", cell: ({ running }) => String(running), ...right, priority: 2 },
    { title: "MISSED", cell: ({ missed }) => String(missed), ...right, priority: 2 },
    { title: "SKIPPED", cell: ({ skipped }) => String(skipped), ...right, priority: 2 },
    {
      title: "LAST RUN",
      cell: ({ lastRun }) =>
        lastRun === undefined ? "" : `${stateWord(lastRun.state)} ${relative(lastRun.at, now)}`,
      paint: (text, { lastRun }) => paint(stateStyle(lastRun?.state ?? ""), text),
      priority: 1,
    },
  ];
}
