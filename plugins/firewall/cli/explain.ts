/** `reeve sandbox explain`: which rule decides about a domain or URL, as things are now. */
import {
  type Channel,
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  oneLine,
} from "reeve/cli";
import type { DecisionSummary } from "../offline.js";
import { nameArgument, sandboxPath, withKnownSandbox } from "./requests.js";

interface Answer {
  readonly subject: string;
  readonly decisions: readonly DecisionSummary[];
}

export const command = defineCommand({
  description:
    "A domain is decided for https and for http, a domain with a port and a URL as they stand. Nothing is asked of the network. With --json: the decisions as data.",
  arguments: [
    nameArgument,
    {
      name: "SUBJECT",
      summary: "a domain, an address (both with a port or without) or a URL",
      required: true,
    },
  ],
  options: controlOptions,
  examples: [
    {
      command: "reeve sandbox explain build api.github.com",
      does: "says why it can be reached, or not",
    },
  ],
  exits: { [Exit.findings]: "there is no such sandbox", ...controlExits },
  async run({ arguments: [name = "", subject = ""], options, output, control }) {
    const path = `${sandboxPath(name, "explain")}?subject=${encodeURIComponent(subject)}`;
    const answer = await withKnownSandbox(control, name, control.get<Answer>(path));
    if (options.json) output.json(answer);
    else for (const decision of answer.decisions) show(output.out, decision);
    return Exit.ok;
  },
});

function show(out: Channel, { subject, allowed, rule, pattern, reason }: DecisionSummary): void {
  const by = pattern === undefined ? `rule ${rule}` : `entry \`${pattern}\`, rule ${rule}`;
  const verdict = allowed
    ? out.paint("ok", "allowed")
    : `${out.paint("denied", "denied")}, ${reason}`;
  out.line(`${oneLine(subject)}: ${verdict} (${oneLine(by)})`);
}
