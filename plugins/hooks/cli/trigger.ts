/** `reeve hook trigger`: a request by hand. */
import { controlExits, controlOptions, defineCommand, Exit, flag, text, texts } from "reeve/cli";
import type { TriggerOutcome } from "../offline.js";
import { showOutcome } from "./outcome.js";
import { requestFrom, requestOptions } from "./request-options.js";
import { findHook, hookArgument } from "./requests.js";

export const command = defineCommand({
  description:
    "The hook decides the request and starts a run as usual, but does not verify the sender: access to the control socket " +
    "allows more than that. `when`, missing values and the queue apply as usual. With --json: an `Outcome` of the control API.",
  arguments: [{ ...hookArgument, required: true }],
  options: {
    ...requestOptions,
    method: text("METHOD", "the method (default: the first that the hook answers to)"),
    path: texts("NAME=VALUE", "a parameter of the hook's path; may be given again"),
    dryRun: flag("show the decision and run nothing"),
    follow: flag("wait for the end of the run and print its output", { short: "f" }),
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
