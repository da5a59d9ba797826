/** `reeve hook explain`: what a hook makes of a request, and why. */
import { type Control, controlExits, controlOptions, defineCommand, Exit, text } from "reeve/cli";
import type { HookExplanation } from "../offline.js";
import { requestFrom, requestOptions } from "./request-options.js";
import { findHook, hookArgument } from "./requests.js";
import { explainedLines } from "./text.js";

export const command = defineCommand({
  description:
    "Every step of the decision, with the rule or condition as a tree and its values; nothing runs. The daemon decides, with its secrets; with " +
    "--config the configuration on disk does, without a daemon; senders are verified where all secrets are in the environment. A request is a file with JSON " +
    '(`{"method": "POST", "query": "a=1", "headers": {…}, "body": …}`, where a body that is no text is sent as JSON) or with raw HTTP, or is made of the other options. ' +
    "With --json: an `Explained` of the control API.",
  arguments: [{ ...hookArgument, required: true }],
  options: {
    ...requestOptions,
    config: text(
      "FILE",
      "ask this configuration, or a hooks file (*.json, *.yaml), not the daemon",
    ),
    ...controlOptions,
  },
  examples: [
    {
      command: "reeve hook explain deploy --request push.http",
      does: "how the hook decides on a recorded request",
    },
    {
      command: "reeve hook explain deploy --body push.json --config main.reeve",
      does: "the same without a daemon",
    },
  ],
  exits: {
    [Exit.findings]: "the request is refused, or there is no such hook",
    [Exit.noInput]: "a file cannot be read",
    [Exit.configuration]: "the configuration is invalid",
    ...controlExits,
  },
  async run({ arguments: [name = ""], options, output, control }) {
    const request = await requestFrom(options);
    const explanation = await explained(control, name, request, options.config);
    if (options.json) output.json(explanation);
    else for (const line of explainedLines(explanation, output.out)) output.out.line(line);
    return explanation.argv ? Exit.ok : Exit.findings;
  },
});

async function explained(
  control: Control,
  name: string,
  request: Awaited<ReturnType<typeof requestFrom>>,
  config: string | undefined,
): Promise<HookExplanation> {
  if (config !== undefined) {
    const { explainOffline } = await import("./explain-offline.js");
    return explainOffline(config, name, request);
  }
  const { name: hook } = await findHook(control, name);
  return control.post<HookExplanation>("/explain", { ...request, hook });
}
