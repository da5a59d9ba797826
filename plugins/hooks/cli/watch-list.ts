/** `reeve watch list`: watches with their files. */
import {
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
import type { WatchSummary } from "../offline.js";
import { findListed, watchArgument, watchesOf } from "./requests.js";

export const command = defineCommand({
  description: "With --json: the `WatchList` of the control API.",
  arguments: [watchArgument],
  options: controlOptions,
  examples: [
    { command: "reeve watch list", does: "lists all watches" },
    { command: "reeve watch list styles --json", does: "prints one as JSON" },
  ],
  exits: { [Exit.findings]: "there is no such watch", ...controlExits },
  async run({ arguments: [name], options, output, control }) {
    const watches = await watchesOf(control);
    const chosen = name === undefined ? watches : [findListed("watch", watches, name)];
    if (options.json) output.json({ watches: chosen });
    else if (chosen.length === 0) output.err.line("No watches.");
    else {
      writeTable(output.out, columns(output.out, Date.now()), chosen);
      for (const { name, problem } of chosen) {
        if (problem !== undefined) output.err.line(`${name}: ${problem}`);
      }
    }
    return Exit.ok;
  },
});

function columns(
  { paint }: Pick<Channel, "paint">,
  now: number,
): ReadonlyArray<TableColumn<WatchSummary>> {
  const right = { align: "right" } as const;
  return [
    { title: "WATCH", cell: ({ name }) => name, shrink: 12 },
    { title: "PATHS", cell: ({ paths }) => paths.join(" "), shrink: 12, priority: 1 },
    { title: "FILES", cell: ({ files }) => String(files ?? ""), ...right },
    { title: "RUNS", cell: ({ runs }) => String(runs), ...right },
    { title: "RUNNING", cell: ({ running }) => String(running), ...right, priority: 2 },
    { title: "FAILED", cell: ({ failures }) => String(failures), ...right, priority: 2 },
    {
      title: "LAST RUN",
      cell: ({ lastRun }) =>
        lastRun === undefined ? "" : `${stateWord(lastRun.state)} ${relative(lastRun.at, now)}`,
      paint: (text, { lastRun }) => paint(stateStyle(lastRun?.state ?? ""), text),
      priority: 1,
    },
  ];
}
