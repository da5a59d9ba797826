/** `reeve watch run`: the command of a watch by hand. */
import { controlExits, controlOptions, defineCommand, Exit } from "reeve/cli";
import { findListed, reportStarted, waitOption, watchArgument, watchesOf } from "./requests.js";

export const command = defineCommand({
  description:
    "The run gets no changes: `changes` is an empty list. It waits for a run that has begun. With --json: `{ run }` of the control API.",
  arguments: [{ ...watchArgument, required: true }],
  options: { wait: waitOption, ...controlOptions },
  examples: [
    { command: "reeve watch run styles", does: "starts a run now" },
    { command: "reeve watch run styles --wait", does: "starts it, and prints what it prints" },
  ],
  exits: {
    [Exit.findings]: "there is no such watch, it is refused, or with --wait: it failed",
    ...controlExits,
  },
  async run({ arguments: [name = ""], options, output, signal, control }) {
    const { name: watch } = findListed("watch", await watchesOf(control), name);
    const { run } = await control.post<{ readonly run: string }>("/watch/run", { watch });
    return reportStarted(run, { options, output, signal, control });
  },
});
