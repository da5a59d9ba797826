/** `reeve hook trigger`: a request by hand. */
import { controlExits, controlOptions, defineCommand, Exit, flag, text, texts } from "reeve/cli";
import type { TriggerOutcome } from "../offline.js";
import { showOutcome } from "./outcome.js";
import { requestFrom, requestOptions } from "./request-options.js";
import { findHook, hookArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "The request goes through the hook's decision and becomes a run like any other, except that nobody asks who sends it: whoever may use the control socket " +
    "may do more than that. `when`, missing values and the queue hold as always. With --json: an `Outcome` of the control API.",
  arguments: [{ ...hookArgument, required: true }],
  options: {
    ...requestOptions,
    method: text("METHOD", "the method (default: the first that the hook answers to)"),
    path: texts("NAME=VALUE", "a parameter of the hook's path; may be given again"),
    dryRun: flag("say what would come of it, and run nothing"),
    follow: flag("go on until the run is over, and print what it prints", { short: "f" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve hook trigger deploy --body push.json", does: "runs it with a body" },
    {
      command: "reeve hook trigger status --query verbose=1 --header 'X-Event: ping' --follow",
      does: "runs it, and prints what it prints",
    },
  ],
  exits: {
    [Exit.findings]: "there is no such hook, it refuses the request, or with --follow: it failed",
    [Exit.noInput]: "a file cannot be read",
    ...controlExits,
  },
  async run({ arguments: [name = ""], options, output, signal, control }) {
    const { dryRun, json, follow, method } = options;
    const { name: hook } = await findHook(control, name);
    const request = await requestFrom(options);
    const outcome = await control.post<TriggerOutcome>("/trigger", {
      ...request,
      ...(method !== undefined && { method: method.toUpperCase() }),
      hook,
      dryRun,
    });
    return showOutcome(control, outcome, { json, follow, output, signal });
  },
});
