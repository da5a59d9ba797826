/** `reeve hook replay`: the request of a run once more. */
import { controlExits, controlOptions, defineCommand, Exit, flag } from "reeve/cli";
import type { TriggerOutcome } from "../offline.js";
import { showOutcome } from "./outcome.js";
import { runArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "The hook decides the same request again, as it is configured now, and the new run names the replayed one. The sender was verified the first time and " +
    "is not verified again. Secret headers and parameters are not stored and therefore missing; a request with a truncated body cannot be replayed. " +
    "With --json: an `Outcome` of the control API.",
  arguments: [{ ...runArgument, required: true }],
  options: {
    dryRun: flag("show the decision and run nothing"),
    follow: flag("wait for the end of the new run and print its output", { short: "f" }),
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
