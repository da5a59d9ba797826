/** `reeve task list`: tasks with their parameters. */
import {
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  relative,
  stateWord,
  writeTable,
} from "reeve/cli";
import { tasksOf } from "./requests.js";

export const command = defineCommand({
  description:
    "With --json: the `TaskList` of the control API, with a JSON Schema of each task's parameters.",
  options: controlOptions,
  examples: [{ command: "reeve task list", does: "lists tasks with their parameters" }],
  exits: controlExits,
  async run({ options, output, control }) {
    const tasks = await tasksOf(control);
    const now = Date.now();
    if (options.json) output.json({ tasks });
    else if (tasks.length === 0) output.err.line("No tasks.");
    else {
      writeTable(
        output.out,
        [
          { title: "TASK", cell: ({ name }) => name, shrink: 12 },
          {
            title: "PARAMETERS",
            cell: ({ parameters }) =>
              parameters.map(({ name, required }) => (required ? name : `[${name}]`)).join(" "),
            shrink: 12,
          },
          { title: "AFTER", cell: ({ after }) => after.join(" "), shrink: 12, priority: 1 },
          { title: "ON", cell: ({ on }) => on.join(" "), priority: 3 },
          {
            title: "LAST RUN",
            cell: ({ lastRun }) =>
              lastRun === undefined
                ? ""
                : `${stateWord(lastRun.state)} ${relative(lastRun.at, now)}`,
            priority: 2,
          },
        ],
        tasks,
      );
    }
    return Exit.ok;
  },
});
