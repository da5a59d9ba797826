/** `reeve hook replay`: the request of a run once more. */
import { controlExits, controlOptions, defineCommand, Exit, flag } from "reeve/cli";
import type { TriggerOutcome } from "../offline.js";
import { showOutcome } from "./outcome.js";
import { runArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "The same request is decided again, by the hook as it is now, and the new run says whose replay it is. The sender proved who they are the first time and " +
    "is not asked again. Headers and parameters that were not kept, because they are secret, are missing; a request whose body was not kept whole cannot be replayed. " +
    "With --json: an `Outcome` of the control API.",
  arguments: [{ ...runArgument, required: true }],
  options: {
    dryRun: flag("say what would come of it, and run nothing"),
    follow: flag("go on until the new run is over, and print what it prints", { short: "f" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve hook replay 01m80b23e60000vmn35q", does: "runs the same once more" },
    {
      command: "reeve hook replay 01m80b23e60000vmn35q --dry-run",
      does: "says how the hook would decide now",
    },
  ],
  exits: {
    [Exit.findings]: "there is no such run, it is refused now, or with --follow: it failed",
    ...controlExits,
  },
  async run({ arguments: [run = ""], options, output, signal, control }) {
    const { dryRun, json, follow } = options;
    const outcome = await control.post<TriggerOutcome>("/replay", { run, dryRun });
    return showOutcome(control, outcome, { json, follow, output, signal });
  },
});
