/** `reeve hook cancel`: ends a run. */
import { controlExits, controlOptions, defineCommand, Exit } from "reeve/cli";
import { runArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "A run that waits gives up its place; one that goes on is ended with everything it started. With --json: `run` and `state`.",
  arguments: [{ ...runArgument, required: true }],
  options: controlOptions,
  examples: [{ command: "reeve hook cancel 01m80b23e60000vmn35q", does: "ends one run" }],
  exits: { [Exit.findings]: "there is no such run, or it is over", ...controlExits },
  async run({ arguments: [run = ""], options, output, control }) {
    const answer = await control.post<object>("/cancel", { run });
    if (options.json) output.json(answer);
    else output.out.line("cancelled");
    return Exit.ok;
  },
});
