/** `reeve schedule run`: a schedule by hand. */
import { controlExits, controlOptions, defineCommand, Exit } from "reeve/cli";
import {
  findListed,
  reportStarted,
  scheduleArgument,
  schedulesOf,
  waitOption,
} from "./requests.js";

export const command = defineCommand({
  description:
    "The times of the schedule stay as they are; `overlap` counts. With --json: `{ run }` of the control API.",
  arguments: [{ ...scheduleArgument, required: true }],
  options: { wait: waitOption, ...controlOptions },
  examples: [
    { command: "reeve schedule run backup", does: "starts a run now" },
    { command: "reeve schedule run backup --wait", does: "starts it, and prints what it prints" },
  ],
  exits: {
    [Exit.findings]: "there is no such schedule, it is refused, or with --wait: it failed",
    ...controlExits,
  },
  async run({ arguments: [name = ""], options, output, signal, control }) {
    const { name: schedule } = findListed("schedule", await schedulesOf(control), name);
    const { run } = await control.post<{ readonly run: string }>("/schedule/run", { schedule });
    return reportStarted(run, { options, output, signal, control });
  },
});
